/// Decides what of the unsynced changes survives a power cut.
enum CrashFate: Sendable {
    /// Chance decides, down to the single sector.
    case chance(SplitMix64)
    /// The nth change survives, whole, if bit n is set.
    case chosen(bits: UInt64, isKept: Bool)
    /// All names and sizes survive, and the nth sector of the writes if bit n is set.
    case sectors(bits: UInt64)

    enum Sector: Sendable {
        case old, new, zero, garbage
    }

    mutating func keepsNextChange() -> Bool {
        switch self {
        case .chance(var generator):
            defer { self = .chance(generator) }
            return generator.flip()
        case .chosen(let bits, _):
            self = .chosen(bits: bits >> 1, isKept: bits & 1 == 1)
            return bits & 1 == 1
        case .sectors: return true
        }
    }

    /// To be called once before the sectors of a write.
    mutating func beginWrite() {
        if case .chosen = self { _ = keepsNextChange() }
    }

    mutating func nextSector() -> Sector {
        switch self {
        case .chosen(_, let isKept): return isKept ? .new : .old
        case .sectors(let bits):
            self = .sectors(bits: bits >> 1)
            return bits & 1 == 1 ? .new : .old
        case .chance(var generator):
            defer { self = .chance(generator) }
            switch generator.next() % 8 {
            case 0, 1: return .old
            case 2: return .zero
            case 3: return .garbage
            default: return .new
            }
        }
    }

    /// What stands in a place that was never written: any bytes, or those that another file has
    /// or had there.
    mutating func garbage(at range: Range<Int>, _ stale: [[UInt8]]) -> [UInt8] {
        guard case .chance(var generator) = self else { return range.map { _ in 0 } }
        defer { self = .chance(generator) }
        if generator.flip(), !stale.isEmpty {
            let other = stale[Int(generator.next() % UInt64(stale.count))]
            if range.upperBound <= other.count { return Array(other[range]) }
        }
        return range.map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
