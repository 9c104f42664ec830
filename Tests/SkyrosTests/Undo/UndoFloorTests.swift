import FoundationEssentials
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// A change of twenty notes, in the first event that a pruned store keeps.
private enum FirstChange: CaseIterable {
    case insertion, update, deletion, clearing

    func make(_ tx: inout WriteTransaction) throws {
        switch self {
        case .insertion: try tx.insert(Note(id: 21, text: "new"))
        case .update: try tx.update(Note.self, 7) { $0.text = "changed" }
        case .deletion: _ = try tx.delete(Note.self, 7)
        case .clearing: _ = try tx.deleteAll(Note.self)
        }
    }
}

@Suite struct `An undo where the history was pruned` {
    /// Twenty events, of which each inserts a note, and a change; only the change is kept.
    private func pruned(
        _ change: FirstChange, _ index: Store.Options.HistoryIndex = .runs
    ) throws -> (store: Store, before: StateDigest) {
        var options = Store.Options()
        options.historyIndex = index
        options.sealThresholdBytes = 1
        let store = try Store(on: SimulatedDisk(), entities: Note.self, options: options)
        store.maintenance.stop()
        for id in 1...20 {
            try store.write(durability: .durable) {
                try $0.insert(Note(id: id, text: "note \(id)"))
            }
        }
        let before = try store.snapshot.digest()
        try store.run(.endSegment)
        try store.write { try change.make(&$0) }
        _ = try #require(try store.prune(before: store.snapshot.time.date))
        #expect(store.firstSequence == 21 && store.sequence == 21)
        return (store, before)
    }

    @Test(arguments: FirstChange.allCases, [Store.Options.HistoryIndex.runs, .scan])
    private func `takes the first event that is kept back to the state of the floor`(
        change: FirstChange, index: Store.Options.HistoryIndex
    ) throws {
        let (store, before) = try pruned(change, index)
        let after = try store.snapshot.digest()
        let undo = try store.undo(21)
        #expect(try store.snapshot.digest() == before)
        #expect(undo.changeCount == (change == .clearing ? 20 : 1))
        // The redo, and all of it at a later time.
        try store.undo(undo.sequence)
        #expect(try store.snapshot.digest() == after)
        try store.undo(.events(21...23))
        #expect(try store.snapshot.digest() == before)
        try store.close()
    }

    @Test(arguments: FirstChange.allCases)
    private func `refuses what it does not keep, and writes nothing`(change: FirstChange) throws {
        let (store, _) = try pruned(change)
        let after = try store.snapshot.digest()
        for target in [.event(20), .events(20...21), .events([1, 21])] as [UndoTarget] {
            let error = failure(as: StoreError.self) { try store.undo(target) }
            #expect(error?.code == .belowFloor && error?.message.contains("event 21") == true)
            #expect(code { _ = try store.undoPlan(of: target) } == .belowFloor)
        }
        #expect(try store.sequence == 21 && store.snapshot.digest() == after)
        try store.close()
    }
}
