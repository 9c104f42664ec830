import Foundation
import TestSupport
import Testing

@testable import Skyros

/// An entity whose id gets another type.
private enum Numbered {
    struct Old: Entity {
        static let entityName = "Ticket"
        var id: Int
        var title: String
    }

    struct New: Entity, Equatable {
        static let entityName = "Ticket"
        var id: String
        var title: String
        static let evolution: Evolution<New> = [.version(2) { .retype("id", .integerToText) }]
    }

    /// Two texts may be the same number.
    struct Text: Entity {
        static let entityName = "Number"
        var id: String
    }

    struct Integer: Entity {
        static let entityName = "Number"
        var id: Int
        static let evolution: Evolution<Integer> = [.version(2) { .retype("id", .textToInteger) }]
    }
}

/// Records with such an id that refer to others.
private enum Shelved {
    struct Shelf: Entity {
        var id: Int
    }

    struct Old: Entity {
        static let entityName = "Volume"
        var id: Int
        var shelf: Ref<Shelf>
    }

    struct New: Entity {
        static let entityName = "Volume"
        var id: String
        var shelf: Ref<Shelf>
        static let relations: [Relation<New>] = [.to(\.shelf, onDelete: .deny)]
        static let evolution: Evolution<New> = [.version(2) { .retype("id", .integerToText) }]
    }
}

@Suite struct `An id of another type` {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `is given to all records in one event, which reports the old and the new`() throws {
        var store = try Store(at: directory.store, entities: Numbered.Old.self)
        try store.write { tx in
            for id in 1...3 { try tx.insert(Numbered.Old(id: id, title: "T\(id)")) }
        }
        try store.close()
        for round in 1...2 {
            store = try Store(at: directory.store, entities: Numbered.New.self)
            #expect(store.sequence == 2)
            #expect(store.recovery.changedIDs.count == (round == 1 ? 3 : 0))
            #expect(try store.get(Numbered.New.self, "2")?.title == "T2")
            #expect(try store.all(Numbered.New.self).map(\.id) == ["1", "2", "3"])
            #expect(try store.event(2)?.changes.count == 6)
            #expect(try store.snapshot(asOf: .sequence(1)).all(Numbered.New.self).count == 3)
            try store.close()
            #expect(try Archive(at: directory.store).verify().problems == [])
        }
        let first = try #require(
            Store(at: directory.store, entities: Numbered.New.self).event(2)?.changes.last)
        #expect(first.id == RecordID("3"))
    }

    @Test func `finds its record in the past too, where the row has the old one`() throws {
        let old = try Store(at: directory.store, entities: Numbered.Old.self)
        try old.write { tx in
            for id in 1...3 { try tx.insert(Numbered.Old(id: id, title: "T\(id)")) }
        }
        try old.close()
        let store = try Store(at: directory.store, entities: Numbered.New.self)
        let past = try store.snapshot(asOf: .sequence(1))
        for state in [past, store.snapshot] {
            let found = try state.all(Numbered.New.self, where: \.id == "2")
            #expect(found.map(\.title) == ["T2"])
            #expect(try state.count(Numbered.New.self, where: \.id == "2" && \.title == "T2") == 1)
            #expect(try state.count(Numbered.New.self, where: .in(\.id, ["1", "3", "9"])) == 2)
        }
        let request = FetchRequest<Numbered.New>(where: \.id == "2")
        #expect(try past.explain(request).isScan)
        #expect(try store.explain(request).accesses == [.ids(count: 1)])
        try store.close()
    }

    @Test func `keeps its record in the joins of a state of the past`() throws {
        let old = try Store(at: directory.store, entities: Shelved.Old.self, Shelved.Shelf.self)
        try old.write { tx in
            try tx.insert(Shelved.Shelf(id: 1))
            try tx.insert((1...3).map { Shelved.Old(id: $0, shelf: Ref(1)) })
        }
        try old.close()
        let store = try Store(at: directory.store, entities: Shelved.New.self, Shelved.Shelf.self)
        for state in [try store.snapshot(asOf: .sequence(1)), store.snapshot] {
            let some = try state.join(Shelved.New.self, \.shelf, where: \.id >= "2")
            #expect(some.map(\.record.id) == ["2", "3"])
            let all = try state.join(Shelved.New.self, \.shelf, whereTarget: \.id == 1)
            #expect(all.map(\.record.id) == ["1", "2", "3"])
        }
        try store.close()
    }

    @Test func `does not hide that the records of a request have changed since`() throws {
        let old = try Store(at: directory.store, entities: Numbered.Old.self)
        try old.write { tx in
            for id in 1...3 { try tx.insert(Numbered.Old(id: id, title: "T\(id)")) }
        }
        try old.close()
        let store = try Store(at: directory.store, entities: Numbered.New.self)
        let requests = [FetchRequest<Numbered.New>(), FetchRequest(limit: 2)]
        func refusals() -> [StoreError.Code?] {
            requests.map { request in
                code { _ = try store.write(expecting: .unchanged(request, since: 1)) { _ in } }
            }
        }
        // The new ids are not a change: a record of the past is read with its new one.
        #expect(refusals() == [nil, nil])
        try store.write { try $0.insert(Numbered.New(id: "4", title: "T4")) }
        #expect(refusals() == [.conflict, nil])
        try store.write { _ = try $0.deleteAll(Numbered.New.self) }
        #expect(refusals() == [.conflict, .conflict])
        try store.close()
    }

    @Test func `is refused if two records would have the same, and nothing is changed`() throws {
        let store = try Store(at: directory.store, entities: Numbered.Text.self)
        try store.write { try $0.insert([Numbered.Text(id: "7"), Numbered.Text(id: "+7")]) }
        try store.close()
        let before = try directory.contents()
        #expect(
            code { _ = try Store(at: directory.store, entities: Numbered.Integer.self) }
                == .duplicateID)
        #expect(try directory.contents() == before)
    }
}
