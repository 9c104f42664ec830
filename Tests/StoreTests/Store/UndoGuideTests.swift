import Foundation
import Skyros
import TestSupport
import Testing

// The code of the article Undo; a test in GuideTests compares the two.

private struct Order: Entity {
    enum Status: String, Codable { case placed, accepted, done }

    var id = UUID()
    var status = Status.placed
    var totalCents = 0
    var note: String?
}

@Suite struct `The guide to undo` {
    private let store: Store
    private let order = Order()

    init() throws {
        store = try Store(inMemory: Order.self)
        try store.write { try $0.insert(order) }
        try store.write { try $0.update(Order.self, order.id) { $0.totalCents = 1_200 } }
    }

    @Test func `takes events back`() throws {
        let sequence = store.sequence
        let result = try store.undo(sequence, by: "bob", because: "wrong order")
        #expect(try store.get(Order.self, order.id)?.totalCents == 0)
        try store.undo(result.sequence, by: "bob")
        #expect(try store.get(Order.self, order.id)?.totalCents == 1_200)
        try store.write(metadata: Metadata(correlation: "import-7")) { try $0.insert(Order()) }
        try store.undo(.correlation("import-7"), by: "bob", because: "wrong file")
        #expect(try store.count(Order.self) == 1)
    }

    @Test func `lists conflicts and plans`() throws {
        try store.write { try $0.update(Order.self, order.id) { $0.note = "hot" } }
        do {
            try store.undo(2, by: "bob")
        } catch let error as StoreError where error.code == .conflict {
            for conflict in error.undoConflicts {
                print(conflict.entity, conflict.id, conflict.events, conflict.canMerge)
            }
        }
        let plan = try store.undoPlan(of: .event(2), resolving: .merge)
        for change in plan.changes {
            print(change.kind, change.entity, change.id, try change.changes)
        }
        #expect(plan.changes.count == 1)
        #expect(store.sequence == 3)
    }

    @Test func `gives an app its undo`() throws {
        let undo = UndoStack(store, actor: "ann")
        try store.write(by: "ann", because: "Accept Order") { tx in
            try tx.update(Order.self, order.id) { $0.status = .accepted }
        }
        let title = undo.undoName  // "Accept Order"
        try undo.undo()
        try undo.redo()
        #expect(title == "Accept Order")
        try undo.group("Close the day") {
            try store.write { tx in
                try tx.update(Order.self, order.id) { $0.status = .done }
            }
            try store.write { tx in try tx.update(Order.self, order.id) { $0.note = "paid" } }
        }
        try undo.undo()
        #expect(try store.get(Order.self, order.id)?.status == .accepted)
    }
}
