import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// Linearizability: all calls appear in one order, and each takes effect between its start and its
/// return.
@Suite(.long) struct `A history of concurrent calls` {
    // MARK: The store

    @Test(arguments: [
        (2, Extent.pick(brief: 400, quick: 10_000, deep: 250_000)),
        (8, Extent.pick(brief: 100, quick: 2_500, deep: 62_500)),
    ])
    func `of a store is linearizable (F51)`(threads: Int, callCount: Int) throws {
        let calls = try history(threads: threads, callCount: callCount, keys: 3, seed: 1)
        #expect(calls.count == threads * callCount)
        #expect(LinearOrder.problem(with: calls) == nil)
    }

    @Test func `of a store is linearizable for a search without sequences (F51)`() throws {
        let count: UInt64 = Extent.pick(brief: 60, quick: 600, deep: 10_000)
        for seed in 0..<count {
            let calls = try history(threads: 4, callCount: 3, keys: 2, seed: seed)
            #expect(LinearSearch.isLinearizable(calls, respectingSequences: false))
            #expect(LinearOrder.problem(with: calls) == nil)
        }
    }

    /// Records the calls of threads that read and write the same few records.
    private func history(
        threads: Int, callCount: Int, keys: Int, seed: UInt64
    ) throws -> [RecordedCall] {
        let store = try Store(inMemory: Counter.self)
        let recorder = CallRecorder()
        // Kept until all threads have ended, for the thread sanitizer (docs/decisions/0004).
        let kept = Locked<[Snapshot]>([])
        inParallel(threads, threads: threads) { thread in
            let choose = Choices(seed: seed &* 1_000 &+ UInt64(thread))
            for number in 0..<callCount {
                let key = choose(keys)
                do {
                    try call(
                        store, recorder, key, choose(3),
                        value: thread * callCount + number + 1, keeping: kept)
                } catch {
                    Issue.record(error)
                }
            }
        }
        return recorder.calls
    }

    private func call(
        _ store: Store, _ recorder: CallRecorder, _ key: Int, _ kind: Int, value: Int,
        keeping kept: Locked<[Snapshot]>
    ) throws {
        let id = "key \(key)"
        try recorder.record(of: key) {
            switch kind {
            case 0:
                let (saw, receipt) = try store.writeWithReceipt { tx in
                    let saw = try tx.get(Counter.self, id)?.value ?? 0
                    try tx.upsert(Counter(id: id, value: value))
                    return saw
                }
                let sequence = try #require(receipt.sequence).rawValue
                return .write(saw: saw, wrote: value, sequence: sequence)
            case 1:
                let snapshot = store.snapshot
                if Sanitizer.isEnabled { kept.withLock { $0.append(snapshot) } }
                let saw = try snapshot.get(Counter.self, id)?.value ?? 0
                return .readSnapshot(saw: saw, sequence: snapshot.sequence.rawValue)
            default:
                return .read(saw: try store.get(Counter.self, id)?.value ?? 0)
            }
        }
    }

    // MARK: The checks

    /// The checks agree about generated histories, some of which were corrupted.
    @Test func `gets the same verdict by order and by search (F51)`() {
        var verdicts: [String: Int] = [:]
        for seed in 0..<4_000 as Range<UInt64> {
            let choose = Choices(seed: seed)
            var calls = generatedHistory(choose, count: 4 + choose(6))
            let isCorrupted = choose(4) > 0
            if isCorrupted { corrupt(&calls, choose) }
            let problem = LinearOrder.problem(with: calls)
            let isFound = LinearSearch.isLinearizable(calls, respectingSequences: true)
            #expect((problem == nil) == isFound, "seed \(seed): \(problem ?? "linear"): \(calls)")
            if problem == nil {
                #expect(LinearSearch.isLinearizable(calls, respectingSequences: false))
            }
            if !isCorrupted { #expect(problem == nil) }
            verdicts[problem == nil ? "linear" : "not linear", default: 0] += 1
        }
        // The checks neither accept nor reject everything.
        #expect((verdicts["linear"] ?? 0) > 1_000 && (verdicts["not linear"] ?? 0) > 1_000)
    }

    /// Calls that took effect one after the other, at points within overlapping times.
    private func generatedHistory(_ choose: Choices, count: Int) -> [RecordedCall] {
        var values: [Int: Int] = [:]
        var sequence: UInt64 = 0
        return (0..<count).map { number in
            let point = 1_000 * (number + 1)
            let key = choose(2)
            let saw = values[key] ?? 0
            let action: RecordedCall.Action
            switch choose(3) {
            case 0:
                sequence += 1
                values[key] = number + 1
                action = .write(saw: saw, wrote: number + 1, sequence: sequence)
            case 1: action = .readSnapshot(saw: saw, sequence: sequence)
            default: action = .read(saw: saw)
            }
            // Even and odd: no call begins at the time at which another one returns.
            return RecordedCall(
                key: key, action: action, begun: 2 * (point - 1 - choose(3_000)),
                returned: 2 * (point + choose(3_000)) + 1)
        }
    }

    /// Changes the value that one call saw, or its sequence.
    private func corrupt(_ calls: inout [RecordedCall], _ choose: Choices) {
        let index = choose(calls.count)
        let value = choose(calls.count + 1)
        calls[index].action =
            switch calls[index].action {
            case .write(let saw, let wrote, let sequence):
                choose(2) == 0
                    ? .write(saw: value, wrote: wrote, sequence: sequence)
                    : .write(saw: saw, wrote: wrote, sequence: UInt64(choose(calls.count)) + 1)
            case .readSnapshot(let saw, let sequence):
                choose(2) == 0
                    ? .readSnapshot(saw: value, sequence: sequence)
                    : .readSnapshot(saw: saw, sequence: UInt64(choose(calls.count)))
            case .read: .read(saw: value)
            }
    }
}
