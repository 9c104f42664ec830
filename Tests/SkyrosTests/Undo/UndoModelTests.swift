import TestSupport
import Testing

@testable import Skyros

@Suite(.long) struct `An undo, compared with a model` {
    private func key(_ entity: String, _ id: RecordID) -> UndoModel.Key {
        UndoModel.Key(entity: entity, id: Int(id.value.integer ?? -1))
    }

    /// Compares a plan with the model's.
    private func check(
        _ plan: UndoPlan, _ expected: UndoModel.Outcome, _ history: UndoHistory, _ name: String
    ) throws {
        #expect(plan.isRefused == expected.isRefused, "\(name)")
        #expect(
            Set(plan.conflicts.map { key($0.entity, $0.id) }) == expected.conflicts, "\(name)")
        var changes: [UndoModel.Key: UndoModel.Values?] = [:]
        for change in plan.changes {
            let key = key(change.entity, change.id)
            #expect(try change.recordBefore?.integers == history.model.newest[key], "\(name)")
            changes[key] = .some(try change.recordAfter?.integers)
        }
        if !expected.isRefused { #expect(changes == expected.changes, "\(name)") }
        for conflict in plan.conflicts {
            let key = key(conflict.entity, conflict.id)
            let ranges = plan.events.map {
                Int($0.lowerBound.rawValue)...Int($0.upperBound.rawValue)
            }
            // The other events since the first undone range that has changed the record.
            let first = ranges.first { range in
                history.model.states[range.lowerBound - 1][key]
                    != history.model.states[range.upperBound][key]
            }
            let start = try #require(first).lowerBound
            let others = (start..<history.model.states.count).filter { event in
                history.model.changes(event, key) && !ranges.contains { $0.contains(event) }
            }
            #expect(conflict.events.map { Int($0.rawValue) } == others, "\(name) \(key)")
        }
    }

    private func options(_ seed: UInt64) -> Store.Options {
        var options = Store.Options()
        options.historyIndex = seed.isMultiple(of: 2) ? .runs : .scan
        return options
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 2, quick: 4, deep: 40)))
    func `plans each event of a history as the model does`(seed: UInt64) throws {
        var history = try UndoHistory(seed: seed, options(seed))
        for _ in 0..<120 { try history.write() }
        for event in 1..<history.model.states.count {
            let resolution = UndoResolution.allCases[event % 4]
            let sequence = SequenceNumber(rawValue: UInt64(event))
            let plan = try history.store.undoPlan(of: .event(sequence), resolving: resolution)
            let outcome = history.model.outcome(of: [event...event], resolution)
            try check(plan, outcome, history, "event \(event), \(resolution)")
        }
        for _ in 0..<60 {
            let (target, ranges) = try history.target()
            for resolution in UndoResolution.allCases {
                let plan = try history.store.undoPlan(of: target, resolving: resolution)
                let outcome = history.model.outcome(of: ranges, resolution)
                try check(plan, outcome, history, "\(ranges), \(resolution)")
            }
        }
        #expect(history.store.sequence.rawValue == UInt64(history.model.states.count - 1))
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 2, quick: 4, deep: 40)))
    func `restores what the model says, and its redo the digest`(seed: UInt64) throws {
        var history = try UndoHistory(seed: 1_000 + seed, options(seed))
        for _ in 0..<60 { try history.write() }
        for _ in 0..<60 {
            let (target, ranges) = try history.target()
            let resolution = UndoResolution.allCases[history.random.below(4)]
            try undoAndRedo(target, ranges, resolution, &history)
            if history.random.below(2) == 0 { try history.write() }
        }
    }

    /// The promise of the issue, in full: `--deep` undoes each event of a history of 10,000.
    @Test func `takes back each event of a long history, and redoes it`() throws {
        let count = Extent.pick(brief: 100, quick: 250, deep: 10_000)
        var history = try UndoHistory(seed: 7)
        for number in 1...count {
            try history.write()
            if number.isMultiple(of: 500) { try history.store.run(.indexHistory) }
        }
        var refused = 0
        for event in 1...count {
            let sequence = SequenceNumber(rawValue: UInt64(event))
            let resolution = UndoResolution.allCases[event % 4]
            let isUndone = try undoAndRedo(
                .event(sequence), [event...event], resolution, &history)
            if !isUndone { refused += 1 }
            if event.isMultiple(of: 500) { try history.store.run(.indexHistory) }
        }
        #expect(refused > 0 && refused < count)
        reportSweep("undo", "\(count) events undone and redone, \(refused) refused")
    }

    /// Undoes, compares with the model, and undoes the undo; returns whether it was not refused.
    @discardableResult
    private func undoAndRedo(
        _ target: UndoTarget, _ ranges: [ClosedRange<Int>], _ resolution: UndoResolution,
        _ history: inout UndoHistory
    ) throws -> Bool {
        let store = history.store
        let outcome = history.model.outcome(of: ranges, resolution)
        let (sequence, digest) = (store.sequence, try store.snapshot.digest())
        if outcome.isRefused {
            let error = failure(as: StoreError.self) {
                try store.undo(target, resolving: resolution)
            }
            #expect(error?.code == .conflict)
            let found = Set(error?.undoConflicts.map { key($0.entity, $0.id) } ?? [])
            #expect(found == outcome.conflicts)
            #expect(store.sequence == sequence)
            return false
        }
        let result = try store.undo(target, by: "bob", resolving: resolution)
        #expect(result.sequence == sequence.next)
        #expect(result.changeCount == outcome.changes.count)
        #expect(Set(result.conflicts.map { key($0.entity, $0.id) }) == outcome.conflicts)
        var state = history.model.newest
        for (key, values) in outcome.changes { state[key] = values }
        #expect(try store.snapshot.modelState() == state)
        history.model.append(state)
        if outcome.changes.isEmpty {
            #expect(code { try store.undo(result.sequence) } == .nothingToUndo)
            return true
        }
        let redo = try store.undo(result.sequence, by: "bob")
        #expect(redo.conflicts.isEmpty)
        #expect(try store.snapshot.digest() == digest)
        history.model.append(history.model.states[history.model.states.count - 2])
        return true
    }
}
