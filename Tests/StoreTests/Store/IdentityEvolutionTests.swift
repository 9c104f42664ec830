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
