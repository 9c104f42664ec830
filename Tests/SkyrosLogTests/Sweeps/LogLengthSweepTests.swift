import SkyrosTesting
import TestSupport
import Testing

/// Every possible length of a segment's file.
@Suite(.long) struct `A log with a segment of another length` {
    private let log: SweepLog
    private let result = SweepResult()

    init() throws {
        log = try SweepLog(sealedBytes: 1_200, openBytes: 1_500)
    }

    /// The complete batches in the bytes of an active segment, by the documented format: at least
    /// those with their padding, at most those with their payload.
    private static func wholeBatchCounts(
        in bytes: [UInt8], before length: Int
    ) -> ClosedRange<Int> {
        let batches = BlockLocation.all(in: bytes).filter(\.isBatch)
        let least = batches.count { $0.range.upperBound <= length }
        let most = batches.count { $0.payloadEnd <= length }
        return least...most
    }

    /// Tries other bytes for a segment, in the same boot and after a reboot.
    private func open(_ path: String, _ bytes: [UInt8], _ place: String) -> [SweepOutcome] {
        [false, true].map { rebooted in
            result.note("openings")
            let disk = log.disk(path, bytes, rebooted: rebooted)
            let outcome = SweepOutcome(of: disk, path, from: 1, log)
            result.note(outcome, place)
            return outcome
        }
    }

    @Test func `is refused or complete after a segment before the last was truncated (F28)`() throws
    {
        for path in log.sealed + [log.ended] {
            let bytes = log.content(path)
            inParallel(bytes.count) { length in
                result.note("lengths")
                let place = "\(path) cut to \(length)"
                for outcome in open(path, Array(bytes[..<length]), place) {
                    if case .cut = outcome { result.noteWrong("\(place): \(outcome)") }
                    let isSealed = path.hasSuffix(".zst")
                    if isSealed, outcome == .whole { result.noteWrong("\(place): unnoticed") }
                }
            }
        }
        result.report("log lengths, cut")
    }

    /// Only the last segment shows what was at its end.
    @Test func `keeps the complete batches of a truncated active segment (F28)`() throws {
        let bytes = log.content(log.active)
        let all = Self.wholeBatchCounts(in: bytes, before: bytes.count).upperBound
        let earlier = log.batches.count - all
        inParallel(bytes.count) { length in
            for rebooted in [false, true] {
                result.note("lengths")
                let place = "cut to \(length)"
                let disk = log.disk(log.active, Array(bytes[..<length]), rebooted: rebooted)
                do {
                    let found = try log.fixture.open(disk).0.batches()
                    let counts = Self.wholeBatchCounts(in: bytes, before: length)
                    guard length >= 96, log.batches.starts(with: found),
                        counts.contains(found.count - earlier)
                    else {
                        result.noteWrong("\(place): \(found.count) batches, not \(counts)")
                        continue
                    }
                    result.note("of what is left")
                } catch {
                    if length >= 96 { result.noteWrong("\(place): \(error)") }
                    result.note("refused")
                }
            }
        }
        result.report("log lengths, active cut")
    }

    @Test func `is refused or complete after a segment was extended (F7, F28)`() throws {
        let random = SeededEntropy(seed: 5)
        let garbage = (0..<1_100).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let zeros = [UInt8](repeating: 0, count: garbage.count)
        for path in log.sealed + log.open {
            let bytes = log.content(path)
            // What follows the last block of an open segment is not its content.
            let blocksEnd = ((bytes.lastIndex { $0 != 0 } ?? 0) + 8) / 8 * 8
            let end = path.hasSuffix(".zst") ? bytes.count : blocksEnd
            for (what, tail) in [("zeros", zeros), ("garbage", garbage)] {
                inParallel(tail.count) { index in
                    result.note("lengths")
                    let place = "\(path) and \(index + 1) bytes of \(what)"
                    let longer = bytes[..<end] + tail[...index]
                    for outcome in open(path, Array(longer), place) {
                        let isWanted =
                            switch (path, what) {
                            case (log.active, _), (log.ended, "zeros"): outcome == .whole
                            default: outcome == .refused
                            }
                        if !isWanted { result.noteWrong("\(place): \(outcome)") }
                    }
                }
            }
        }
        result.report("log lengths, longer")
    }
}
