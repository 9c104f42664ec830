import Foundation
import Skyros
import TestSupport
import Testing

private struct Known: Entity {
    var id: Int
}

private struct Forgotten: Entity, Equatable {
    var id: Int
    var text = ""
}

/// An entity that is not among the types that the store was opened with.
@Suite struct `An entity that the store was not opened with` {
    private let directory: TemporaryDirectory
    private let store: Store

    /// Also a store that holds records of the entity and was told to keep them.
    init() throws {
        directory = try TemporaryDirectory()
        try Store(at: directory.store, entities: Forgotten.self).writeSync { tx in
            try tx.insert(Forgotten(id: 1))
        }.close()
        var options = Store.Options()
        options.keepsUnknownEntities = true
        store = try Store(at: directory.store, entities: Known.self, options: options)
    }

    private func expectRefusal<R>(
        location: SourceLocation = #_sourceLocation, _ call: () throws -> R
    ) {
        let error = #expect(throws: StoreError.self, sourceLocation: location) {
            _ = try call()
        }
        #expect(error?.code == .unknownEntity, sourceLocation: location)
        #expect(error?.place.entity == "Forgotten", sourceLocation: location)
        #expect(error?.message.contains("add Forgotten.self") == true, sourceLocation: location)
    }

    private func expectRefusal<S: RecordSource & ~Copyable>(
        ofReads source: borrowing S, location: SourceLocation = #_sourceLocation
    ) {
        func check<R>(_ call: (borrowing S) throws -> R) {
            let result = Result { try call(source) }
            expectRefusal(location: location) { try result.get() }
        }
        check { try $0.get(Forgotten.self, 1) }
        check { try $0[Forgotten.self, 1] }
        check { try $0.exists(Forgotten.self, 1) }
        check { try $0.withValue(of: Forgotten.self, 1) { $0.id } }
        check { try $0.all(Forgotten.self) }
        check { try $0.all(Forgotten.self, where: \.id == 1, sortedBy: \.text) }
        check { try $0.all(Forgotten.self, where: #Predicate { $0.id == 1 }) }
        check { try $0.fetch(FetchRequest<Forgotten>()) }
        check { try $0.fetch(FetchRequest<Forgotten>(limit: 0)) }
        check { try $0.first(Forgotten.self) }
        check { try $0.first(Forgotten.self, where: \.id == 1) }
        check { try $0.count(Forgotten.self) }
        check { try $0.count(Forgotten.self, where: \.id == 1) }
        check { try $0.count(FetchRequest<Forgotten>(limit: 0)) }
    }

    @Test func `is refused in every read`() throws {
        expectRefusal(ofReads: store)
        expectRefusal(ofReads: store.snapshot)
        expectRefusal(ofReads: try store.snapshot(asOf: .sequence(0)))
        expectRefusal(ofReads: try Archive(at: directory.store, entities: [Known.self]).snapshot())
        try store.write { tx in expectRefusal(ofReads: tx) }
        expectRefusal { try store.history(of: Forgotten.self, 1) }
    }

    @Test func `is refused in every write`() throws {
        func check(_ call: (inout WriteTransaction) throws -> Void) {
            expectRefusal { try store.write(call) }
        }
        check { try $0.insert(Forgotten(id: 2)) }
        check { try $0.insert([Forgotten(id: 2)]) }
        check { try $0.insert([Forgotten]()) }
        check { try $0.upsert(Forgotten(id: 2)) }
        check { try $0.upsert([Forgotten]()) }
        check { try $0.update(Forgotten(id: 1)) }
        check { try $0.update([Forgotten]()) }
        check { try $0.update(Forgotten.self, 1) { $0.text = "b" } }
        check { try $0.delete(Forgotten(id: 1)) }
        check { try $0.delete(Forgotten.self, 1) }
        check { try $0.delete(Forgotten.self, where: \.id == 1) }
        check { try $0.delete(Forgotten.self, where: #Predicate { $0.id == 1 }) }
        check { try $0.deleteAll(Forgotten.self) }
        #expect(store.sequence == 1)
    }

    @Test func `can be read without its type while its records are kept`() throws {
        #expect(try store.snapshot.records("Forgotten").map(\.id) == [RecordID(1)])
        #expect(try store.snapshot.record("Forgotten", RecordID(1)) != nil)
        #expect(store.snapshot.count("Forgotten") == 1)
        #expect(throws: StoreError(.unknownEntity, "")) {
            try store.snapshot.records("Misspelt")
        }
        #expect(throws: StoreError(.unknownEntity, "")) {
            try store.snapshot.record("Misspelt", RecordID(1))
        }
        #expect(store.snapshot.count("Misspelt") == 0)
    }

    @Test func `is known to an archive without types`() throws {
        let archive = try Archive(at: directory.store)
        #expect(try archive.snapshot().all(Forgotten.self) == [Forgotten(id: 1)])
        #expect(try archive.snapshot(asOf: .sequence(0)).all(Forgotten.self) == [])
        #expect(try archive.snapshot().count(Known.self) == 0)
        #expect(try archive.snapshot().records("Misspelt").isEmpty)
    }
}
