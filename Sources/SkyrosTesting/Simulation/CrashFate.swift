/// Decides which unsynced changes survive a power cut.
enum CrashFate: Sendable {
    /// Random, down to the single sector.
    case seeded(SplitMix64)
    /// Change n survives completely if bit n is set.
    case chosen(bits: UInt64, isKept: Bool)
    /// All names and sizes survive, and sector n of the writes if bit n is set.
    case sectors(bits: UInt64)

    enum Sector: Sendable {
        case old, new, zero, garbage
    }

    mutating func keepsNextChange() -> Bool {
        switch self {
        case .seeded(var generator):
            defer { self = .seeded(generator) }
            return generator.flip()
        case .chosen(let bits, _):
            self = .chosen(bits: bits >> 1, isKept: bits & 1 == 1)
            return bits & 1 == 1
        case .sectors: return true
        }
    }

    /// Must be called before the sectors of each write.
    mutating func beginWrite() {
        if case .chosen = self { _ = keepsNextChange() }
    }

    mutating func nextSector() -> Sector {
        switch self {
        case .chosen(_, let isKept): return isKept ? .new : .old
        case .sectors(let bits):
            self = .sectors(bits: bits >> 1)
            return bits & 1 == 1 ? .new : .old
        case .seeded(var generator):
            defer { self = .seeded(generator) }
            switch generator.next() % 8 {
            case 0, 1: return .old
            case 2: return .zero
            case 3: return .garbage
            default: return .new
            }
        }
    }

    /// The content of a range that was never written: random bytes, or stale bytes of another file.
    mutating func garbage(at range: Range<Int>, _ stale: [[UInt8]]) -> [UInt8] {
        guard case .seeded(var generator) = self else { return range.map { _ in 0 } }
        defer { self = .seeded(generator) }
        if generator.flip(), !stale.isEmpty {
            let other = stale[Int(generator.next() % UInt64(stale.count))]
            if range.upperBound <= other.count { return Array(other[range]) }
        }
        return range.map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
