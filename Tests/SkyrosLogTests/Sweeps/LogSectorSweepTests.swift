import SkyrosTesting
import TestSupport
import Testing

/// Damage to whole bytes and sectors: changed, misdirected, or never written.
@Suite(.long) struct `A log with a wrong sector` {
    private let log: SweepLog
    private let result = SweepResult()
    private static let sectorBytes = 512

    init() throws {
        log = try SweepLog(sealedBytes: 4_000, openBytes: 5_000)
    }

    /// A sector of one of the files.
    private struct Sector {
        let path: String
        let range: Range<Int>
        let bytes: [UInt8]
    }

    private func sectors() -> [Sector] {
        (log.sealed + log.open).flatMap { path in
            let bytes = log.content(path)
            return stride(from: 0, to: bytes.count, by: Self.sectorBytes).map { start in
                let range = start..<min(start + Self.sectorBytes, bytes.count)
                return Sector(path: path, range: range, bytes: Array(bytes[range]))
            }
        }
    }

    /// Opens the log with other bytes in a range. Bytes that no reader uses may differ.
    private func open(_ path: String, _ range: Range<Int>, _ bytes: [UInt8], _ place: String) {
        let whole = log.content(path)
        guard Array(whole[range]) != bytes else { return result.note("the same") }
        let damaged = whole[..<range.lowerBound] + bytes + whole[range.upperBound...]
        for rebooted in [false, true] {
            result.note("openings")
            let disk = log.disk(path, Array(damaged), rebooted: rebooted)
            var outcome = SweepOutcome(of: disk, path, from: 1, log)
            if case .cut(let count) = outcome, path != log.active || count < log.durableCount {
                outcome = .wrong("cut to \(count)")
            }
            result.note(outcome, "\(place)\(rebooted ? ", rebooted" : "")")
        }
    }

    @Test func `has about 32 sectors`() {
        #expect((24...64).contains(sectors().count))
    }

    @Test func `never reads a wrong batch after any byte changed (F25)`() throws {
        let interval = Extent.pick(brief: 97, quick: 7, deep: 1)
        for path in log.sealed + log.open {
            let bytes = log.content(path)
            let offsets = Array(stride(from: 0, to: bytes.count, by: interval))
            inParallel(offsets.count) { index in
                let offset = offsets[index]
                for byte in [0, 0xFF, bytes[offset] &+ 1] {
                    let place = "\(path), byte \(offset) is \(byte)"
                    open(path, offset..<offset + 1, [byte], place)
                }
            }
        }
        result.report("log bytes")
    }

    @Test func `never reads a wrong batch after a sector was swapped or zeroed (F25, F32)`() throws
    {
        let all = sectors()
        let zeros = [UInt8](repeating: 0, count: Self.sectorBytes)
        inParallel(all.count) { index in
            let target = all[index]
            let sources = all.map(\.bytes) + [zeros]
            for (number, source) in sources.enumerated() {
                // The last sector of a file is shorter than others.
                let count = target.range.count
                let bytes = Array((source + zeros).prefix(count))
                let place = "\(target.path), \(target.range) is sector \(number)"
                open(target.path, target.range, bytes, place)
            }
        }
        result.report("log sectors")
    }

    /// A lost write leaves the sector as it was, while the file grew.
    @Test func `never reads a wrong batch after a write to a sector was lost (F25)`() throws {
        let opened = sectors().filter { log.open.contains($0.path) }
        inParallel(opened.count) { index in
            let sector = opened[index]
            for count in stride(from: 8, to: sector.bytes.count, by: 8) {
                let rest = [UInt8](repeating: 0, count: sector.bytes.count - count)
                let place = "\(sector.path), \(sector.range) has \(count) bytes"
                open(sector.path, sector.range, sector.bytes[..<count] + rest, place)
            }
        }
        result.report("log sectors of before")
    }
}
