import SkyrosDisk
import SkyrosTesting

@testable import Skyros

extension CrashCheck {
    /// The window of the stores of the crash runs: some keys expire in a run.
    static let keyWindow: Duration = .milliseconds(12)

    /// Checks that the store knows the keys of the batches in its log, within the window, and no
    /// others: a write with such a key does not run its block again.
    func checkKeys(_ history: [CrashOracle.Batch]) throws {
        for (index, batch) in history.enumerated() {
            let sequence = SequenceNumber(rawValue: UInt64(index + 1))
            let isPruned = sequence < store.firstSequence
            // Of a batch that was not acknowledged, only the log knows the time.
            if isPruned, batch.time == nil { continue }
            let time = isPruned ? batch.time : try store.event(sequence)?.time
            let isKnown = batch.isOnce && time.map { isInWindow($0) } == true
            try check(batch.marker, isKnown ? sequence : nil)
        }
        for batch in oracle.batches.dropFirst(history.count) where batch.isOnce {
            try check(batch.marker, nil)
        }
    }

    /// Whether an event of this time is in the window of the next one.
    private func isInWindow(_ time: EventTime) -> Bool {
        let now = store.resources.environment.clock.nowMicroseconds()
        let next = max(now, store.snapshot.time.microseconds + 1)
        return next - time.microseconds <= Self.keyWindow.microsecondsMax
    }

    /// Repeats the write with a key. If its block runs it throws, so that nothing is written.
    private func check(_ key: String, _ expected: SequenceNumber?) throws {
        var found: SequenceNumber?
        do {
            let receipt = try store.write(once: key, durability: .deferred) { _ in
                throw BlockHasRun()
            }
            found = receipt.sequence
        } catch is BlockHasRun {}
        guard found == expected else {
            throw CrashFinding(
                description: "P2, P7: the key \"\(key)\" is that of event "
                    + "\(found?.description ?? "none"), not \(expected?.description ?? "none")")
        }
    }

    private struct BlockHasRun: Error {}
}
