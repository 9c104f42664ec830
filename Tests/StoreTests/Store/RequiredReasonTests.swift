import Foundation
import Skyros
import TestSupport
import Testing

private struct Ledger: Entity {
    var id: Int
    var cents = 0
    static let requiresReason = true
}

private struct Sketch: Entity {
    var id: Int
    var ledger: Ref<Ledger>?
    static let relations: [Relation<Sketch>] = [.to(\.ledger, onDelete: .nullify)]
}

/// The entity after a release that asks for no reasons any more.
private enum Relaxed {
    struct Ledger: Entity {
        var id: Int
        var cents = 0
    }

    struct Sketch: Entity {
        var id: Int
    }
}

@Suite struct `A required reason` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ options: Store.Options = Store.Options()) throws -> Store {
        try Store(at: directory.store, entities: Ledger.self, Sketch.self, options: options)
    }

    private func expectRefusal(_ store: Store, _ body: () throws -> Void) throws {
        let sequence = store.sequence
        #expect(failure(as: StoreError.self) { try body() }?.code == .reasonRequired)
        #expect(store.sequence == sequence)
    }

    @Test func `is asked for by the changes of an entity, in each form of a write`() throws {
        let store = try open()
        try expectRefusal(store) { try store.write(by: "a") { try $0.insert(Ledger(id: 1)) } }
        #expect(try store.count(Ledger.self) == 0)
        for blank in ["", " \n\t"] {
            try expectRefusal(store) {
                try store.write(because: blank) { try $0.insert(Ledger(id: 1)) }
            }
        }
        try store.write(because: "opened") { try $0.insert(Ledger(id: 1)) }
        try Store.withMetadata(reason: "opened") {
            try store.write { try $0.insert(Ledger(id: 2)) }
        }
        try expectRefusal(store) { try store.write { _ = try $0.deleteAll(Ledger.self) } }
        try expectRefusal(store) {
            try store.writeConcurrently { _ = try $0.delete(Ledger.self, 1) }
        }
        try store.write { try $0.insert(Sketch(id: 1)) }
        try store.write { _ in }
        #expect(try store.count(Ledger.self) == 2)
        try store.close()
    }

    @Test func `is asked for in tasks, too`() async throws {
        let store = try open()
        await #expect(throws: StoreError(.reasonRequired, "")) {
            try await store.write { try $0.insert(Ledger(id: 1)) }
        }
        try await store.write(because: "r") { try $0.insert(Ledger(id: 1)) }
        try store.close()
    }

    @Test func `is asked for where a child store is merged, not where it is edited`() throws {
        let store = try open()
        let child = store.fork()
        try child.write { try $0.insert(Ledger(id: 1)) }
        try expectRefusal(store) { try child.merge() }
        try child.merge(because: "reviewed")
        #expect(try store.count(Ledger.self) == 1)
        try store.close()
    }

    @Test func `is asked for by an undo, and by what a rule of a relation changes`() throws {
        let store = try open()
        try store.write(because: "r") { tx in
            try tx.insert(Ledger(id: 1))
            try tx.insert(Sketch(id: 1, ledger: Ref(1)))
        }
        try expectRefusal(store) { try store.undo(1) }
        let plan = try store.undoPlan(of: .event(1))
        #expect(plan.changes.count == 2 && plan.needsReason)
        try store.undo(1, because: "wrong")
        #expect(try store.count(Ledger.self) == 0)
        try store.close()
    }

    @Test func `is recorded, and asked for without the type, until the type asks no more`() throws {
        let store = try open()
        try store.write(because: "r") { try $0.insert(Ledger(id: 1)) }
        #expect(store.snapshot.recordedSchemas["Ledger"]?.requiresReason == true)
        try store.close()
        let untyped = try Store(untypedAt: directory.store)
        let record = try Record(entity: "Ledger", id: RecordID(2), fields: ["id": 2, "cents": 1])
        try expectRefusal(untyped) { try untyped.write { try $0.insert(record) } }
        try untyped.write(because: "import") { try $0.insert(record) }
        try untyped.close()
        let relaxed = try Store(
            at: directory.store, entities: Relaxed.Ledger.self, Relaxed.Sketch.self)
        try relaxed.write { try $0.insert(Relaxed.Ledger(id: 3)) }
        #expect(relaxed.snapshot.recordedSchemas["Ledger"]?.requiresReason == false)
        try relaxed.close()
        let again = try Store(untypedAt: directory.store)
        try again.write { _ = try $0.delete("Ledger", RecordID(2)) }
        try again.close()
        #expect(try Archive(at: directory.store).verify().ok)
    }

    @Test func `is asked for by all changes of a store with the option`() throws {
        var options = Store.Options()
        options.requiresReason = true
        let store = try open(options)
        try expectRefusal(store) { try store.write { try $0.insert(Sketch(id: 1)) } }
        try store.write(because: "r") { try $0.insert(Sketch(id: 1)) }
        try store.close()
        // The log says it to those who open the store without the option and the types.
        let untyped = try Store(untypedAt: directory.store)
        try expectRefusal(untyped) { try untyped.write { _ = try $0.deleteAll("Sketch") } }
        try untyped.close()
        let strict = try Store(untypedAt: directory.store, options: options)
        let record = try Record(entity: "New", id: RecordID(2), fields: ["id": 2])
        try expectRefusal(strict) { try strict.write { try $0.insert(record) } }
        try strict.close()
        let memory = try Store(inMemory: Ledger.self, Sketch.self, options: options)
        try expectRefusal(memory) { try memory.write { try $0.insert(Sketch(id: 1)) } }
        try memory.nuke()
        try expectRefusal(memory) { try memory.write { try $0.insert(Sketch(id: 1)) } }
    }
}
