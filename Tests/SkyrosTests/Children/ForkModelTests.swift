import Foundation
import Skyros
import TestSupport
import Testing

/// Stores with children and grandchildren, beside dictionaries that are merged in plain Swift.
@Suite(.long) struct `A fork beside a model` {
    /// A record without its id, by the names of its fields.
    private typealias Record = [String: String]
    private typealias State = [Int: Record]

    /// A child store, as plain Swift understands it.
    private struct Model {
        /// For each record that was changed, what it was when the edit began.
        var bases: [Int: Record?] = [:]
        var state: State
    }

    @Test(arguments: 0..<Extent.pick(brief: 20, quick: 120, deep: 2_000))
    func `merges and refreshes as plain Swift does`(seed: Int) throws {
        var random = RandomSource(seed: UInt64(seed))
        let store = try Store(inMemory: DraftCard.self)
        var parent: State = [:]
        let child = store.fork()
        var model = Model(state: [:])
        for step in 0..<60 {
            switch random.below(10) {
            case 0:
                let childWins = random.below(2) == 0
                let before = store.sequence
                let result = try child.merge(policy: childWins ? .childWins : .parentWins)
                let merged = merge(model, onto: parent, childWins: childWins)
                #expect((result.sequence == nil) == (merged == parent))
                #expect(store.sequence.rawValue - before.rawValue <= 1)
                parent = merged
                model = Model(state: parent)
            case 1:
                try child.refresh()
                model = refreshed(model, onto: parent)
            case 2..<6:
                try edit(store, &random, step) { id, record in parent[id] = record }
            default:
                try edit(child, &random, step) { id, record in
                    if !model.bases.keys.contains(id) { model.bases[id] = .some(model.state[id]) }
                    model.state[id] = record
                }
            }
            #expect(try state(of: store) == parent)
            #expect(try state(of: child) == model.state)
            let changed = model.bases.filter { model.state[$0] != $1 }
            #expect(try child.hasChanges == !changed.isEmpty)
            #expect(try child.changes().count == changed.count)
        }
        try child.discard()
    }

    /// Writes some random records, now and then after deleting all.
    private func edit(
        _ store: some RecordStore, _ random: inout RandomSource, _ step: Int,
        _ note: (Int, Record?) -> Void
    ) throws {
        try store.write { tx in
            if random.below(12) == 0 {
                for card in try tx.all(DraftCard.self) { note(card.id, nil) }
                try tx.deleteAll(DraftCard.self)
            }
            for _ in 0..<(1 + random.below(3)) {
                let id = random.below(6)
                guard random.below(4) > 0 else {
                    if try tx.delete(DraftCard.self, id) { note(id, nil) }
                    continue
                }
                var card = try tx.get(DraftCard.self, id) ?? DraftCard(id: id)
                if random.below(2) == 0 { card.title = random.below(3) == 0 ? nil : "\(step)" }
                if random.below(2) == 0 { card.column = random.below(3) }
                if random.below(3) == 0 { card.done = random.below(2) == 0 ? nil : true }
                try tx.upsert(card)
                note(id, record(of: card))
            }
        }
    }

    private func record(of card: DraftCard) -> Record {
        var record: Record = [:]
        record["title"] = card.title
        record["column"] = card.column.map { "\($0)" }
        record["done"] = card.done.map { "\($0)" }
        return record
    }

    private func state(of source: some RecordSource) throws -> State {
        let cards = try source.all(DraftCard.self)
        return Dictionary(uniqueKeysWithValues: cards.map { ($0.id, record(of: $0)) })
    }

    // MARK: The model

    private func merge(_ model: Model, onto parent: State, childWins: Bool) -> State {
        var merged = parent
        for (id, base) in model.bases {
            merged[id] = merge(base, parent[id], model.state[id], childWins: childWins).record
        }
        return merged
    }

    private func refreshed(_ model: Model, onto parent: State) -> Model {
        var next = Model(state: merge(model, onto: parent, childWins: true))
        for (id, base) in model.bases where next.state[id] != parent[id] {
            let conflicts = merge(base, parent[id], model.state[id], childWins: true).conflicts
            var nextBase = conflicts == nil ? base : parent[id]
            for name in conflicts ?? [] { nextBase?[name] = base?[name] }
            next.bases[id] = .some(nextBase)
        }
        return next
    }

    /// The merged record, and the fields in conflict; nil instead if one side has deleted what the
    /// other has changed.
    private func merge(
        _ base: Record?, _ parent: Record?, _ child: Record?, childWins: Bool
    ) -> (record: Record?, conflicts: [String]?) {
        if child == base { return (parent, []) }
        if parent == base { return (child, []) }
        guard let parent, let child else { return (childWins ? child : parent, nil) }
        var merged: Record = [:]
        var conflicts: [String] = []
        for name in Set(parent.keys).union(child.keys) {
            let values = (base: base?[name], parent: parent[name], child: child[name])
            if values.child == values.base {
                merged[name] = values.parent
            } else if values.parent == values.base || values.parent == values.child {
                merged[name] = values.child
            } else {
                merged[name] = childWins ? values.child : values.parent
                conflicts.append(name)
            }
        }
        return (merged, conflicts)
    }
}
