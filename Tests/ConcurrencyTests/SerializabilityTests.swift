import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Serializability: concurrent blocks have the results that they would have one after the other, in
/// the order of their events.
@Suite(.long) struct `A history of concurrent blocks` {
    /// Simulated histories: blocks begin and commit in a random order, on one thread.
    @Test func `has the results of a serial one (F51)`() throws {
        let count: UInt64 = Extent.pick(brief: 400, quick: 3_000, deep: 20_000)
        var figures = HistoryFigures()
        for seed in 0..<count {
            let history = try SimulatedHistory(seed: seed)
            #expect(history.problem == nil, "seed \(seed)")
            figures.add(history)
        }
        // The histories do overlap, and conflict.
        #expect(figures.commits > 5 * Int(count) && figures.conflicts > Int(count))
        reportSweep("serializability", "\(figures.commits) commits, \(figures.conflicts) conflicts")
    }

    /// The same check finds what goes wrong without a comparison of reads.
    @Test func `is refuted if blocks are committed without a check (F51)`() throws {
        var wrong = 0
        for seed in 0..<200 as Range<UInt64> {
            if try SimulatedHistory(seed: seed, checksReads: false).problem != nil { wrong += 1 }
        }
        #expect(wrong > 100)
    }

    /// Blocks on threads, whose order is that of their events.
    @Test func `on threads has the results of a serial one (F51)`() throws {
        let runs = Extent.pick(brief: 3, quick: 20, deep: 200)
        for seed in 0..<runs {
            let store = try Store(inMemory: Slot.self)
            let committed = Locked<[Committed]>([])
            inParallel(4, threads: 4) { thread in
                let choose = Choices(seed: UInt64(seed * 10 + thread))
                for number in 0..<40 {
                    let block = BlockModel(choose)
                    do {
                        let name = "\(thread)/\(number)"
                        let answers = try store.writeConcurrently(by: name, retries: 10_000) { tx in
                            try block.run(&tx)
                        }
                        committed.withLock {
                            $0.append(Committed(name: name, block: block, answers: answers))
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            let sequences = Dictionary(
                uniqueKeysWithValues: try Array(store.events()).map {
                    ($0.metadata.actor ?? "", $0.sequence)
                })
            // A block that changed nothing has no place in the order of events.
            let ordered = committed.withLock { $0 }.filter { sequences[$0.name] != nil }
                .sorted { (sequences[$0.name] ?? 0) < (sequences[$1.name] ?? 0) }
            var model = SlotModel()
            for entry in ordered {
                #expect(entry.block.run(&model) == entry.answers, "seed \(seed) \(entry.name)")
            }
            #expect(try store.all(Slot.self) == model.all)
        }
    }

    private struct Committed: Sendable {
        let name: String
        let block: BlockModel
        let answers: [String]
    }
}

private struct HistoryFigures {
    var commits = 0
    var conflicts = 0

    mutating func add(_ history: SimulatedHistory) {
        commits += history.commitCount
        conflicts += history.conflictCount
    }
}

/// Blocks that begin and commit in a random order, and a model in which they run one after the
/// other in the order of their commits.
private struct SimulatedHistory {
    private(set) var problem: String?
    private(set) var commitCount = 0
    private(set) var conflictCount = 0

    init(seed: UInt64, checksReads: Bool = true) throws {
        let choose = Choices(seed: seed)
        let store = try Store(inMemory: Slot.self)
        var model = SlotModel()
        var running: [(block: BlockModel, run: ConcurrentBlock, answers: [String])] = []
        for _ in 0..<24 {
            if running.count < 2 || (running.count < 5 && choose(2) == 0) {
                let block = BlockModel(choose)
                let run = ConcurrentBlock(on: store.snapshot, .system)
                let answers = try run.run { tx in try block.run(&tx) }
                running.append((block, run, answers))
                continue
            }
            let (block, run, answers) = running.remove(at: choose(running.count))
            do {
                try store.write { tx in
                    if !checksReads { return try tx.overlay.apply(run.writes) }
                    try run.commit(in: &tx)
                }
            } catch is ReadConflict {
                conflictCount += 1
                continue
            }
            commitCount += 1
            let expected = block.run(&model)
            if answers != expected { problem = "\(block): \(answers), serially \(expected)" }
            if try store.all(Slot.self) != model.all { problem = "the state after \(block)" }
            if problem != nil { return }
        }
    }
}
