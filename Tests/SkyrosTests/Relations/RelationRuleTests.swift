import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A rule of a relation` {
    private let store: Store

    init() throws {
        store = try Board.store()
    }

    private func newest() throws -> Event {
        try #require(try store.event(store.sequence))
    }

    @Test func `deletes in the same event, as ordinary changes`() throws {
        try store.write { tx in
            try tx.insert((1...4).map { Card(id: $0, board: Ref($0 < 4 ? 1 : 2)) })
        }
        try store.write(by: "ann") { try $0.delete(Board.self, 1) }
        let event = try newest()
        let kinds = event.changes.map { change in
            if case .deleted(let record) = change { "\(record.entity) \(record.id)" } else { "?" }
        }
        #expect(kinds == ["Board 1", "Card 1", "Card 2", "Card 3"])
        #expect(event.metadata.actor == "ann")
        #expect(try store.all(Card.self).map(\.id) == [4])
    }

    @Test func `takes effect when the block ends, whatever the order of its steps`() throws {
        try store.write { try $0.insert((1...2).map { Card(id: $0, board: Ref(1)) }) }
        try store.write { tx in
            try tx.delete(Board.self, 1)
            #expect(try tx.count(Card.self) == 2)
            try tx.update(Card.self, 2) { $0.board = Ref(2) }
        }
        #expect(try store.all(Card.self) == [Card(id: 2, board: Ref(2))])
    }

    @Test func `leaves alone what the block moved, or deleted and inserted again`() throws {
        try store.write { try $0.insert(Card(id: 1, board: Ref(1))) }
        try store.write { tx in
            try tx.delete(Board.self, 1)
            try tx.insert(Board(id: 1, name: "again"))
        }
        #expect(try store.count(Card.self, referring: \.board, to: Ref(1)) == 1)
    }

    @Test func `does not bring new references to a deleted record to their end`() throws {
        let found = failure(as: StoreError.self) {
            try store.write { tx in
                try tx.insert(Card(id: 1, board: Ref(1)))
                try tx.delete(Board.self, 1)
            }
        }
        #expect(found?.code == .brokenReference)
        #expect(try store.count(Board.self) == 3)
    }

    @Test func `makes a reference nil, and keeps what the type does not know`() throws {
        let id = RecordID(1)
        let card = Card(id: 1, title: "x", board: Ref(1), assignee: Ref("ann"))
        try store.write { try $0.insert(card) }
        try store.write { try $0.delete(Person.self, "ann") }
        #expect(try store.get(Card.self, 1) == Card(id: 1, title: "x", board: Ref(1)))
        let record = try #require(try store.snapshot.record("Card", id))
        #expect(record["assignee"] == nil && record["title"] == "x")
        guard case .updated("Card", id, let before, let after) = try newest().changes[1] else {
            Issue.record("\(try newest().changes)")
            return
        }
        #expect(before.names == ["assignee"] && after.names == [])
    }

    @Test func `takes deleted records out of lists, and keeps the order of the others`() throws {
        try store.write { tx in
            try tx.insert((1...40).map { Card(id: $0, board: Ref(1)) })
            let all: [Ref<Card>] = (2...40).reversed().map { Ref($0) } + [Ref(7)]
            try tx.update(Card.self, 1) { $0.blockedBy = all }
        }
        try store.write { try $0.delete(Card.self, where: \.id > 5) }
        #expect(try store.get(Card.self, 1)?.blockedBy == [5, 4, 3, 2].map { Ref($0) })
        #expect(try newest().changes.count == 36)
    }

    @Test func `denies, with all referrers, unless they are deleted too`() throws {
        try store.write { tx in
            try tx.insert((1...3).map { Card(id: $0, board: Ref($0), reviewer: Ref("bob")) })
        }
        let found = failure(as: StoreError.self) {
            try store.write { tx in
                try tx.delete(Person.self, "bob")
                try tx.delete(Card.self, 3)
            }
        }
        let error = try #require(found)
        #expect(error.code == .deletionDenied)
        #expect(
            error.place.references.map(\.description) == [
                "Card 1.reviewer → Person bob", "Card 2.reviewer → Person bob",
            ])
        #expect(error.message.contains("Card 1.reviewer → Person bob"))
        #expect(try store.count(Person.self) == 2)
        // Two by a cascade, one by the block.
        try store.write { tx in
            try tx.delete(Person.self, "bob")
            for id in 1...2 { try tx.delete(Board.self, id) }
            try tx.update(Card.self, 3) { $0.reviewer = nil }
        }
        #expect(try store.all(Card.self).map(\.id) == [3])
    }

    @Test func `costs an entity without relations nothing, and has no look-ups`() throws {
        let store = try Store(inMemory: Plain.self)
        try store.write { try $0.insert(Plain(id: 1)) }
        #expect(store.relations.isEmpty)
        #expect(store.snapshot.tables[0].relations == nil)
        #expect(store.snapshot.tables[0].indexes.isEmpty)
    }
}

private struct Plain: Entity {
    var id: Int
}

@Suite struct `The deletion of all records of an entity` {
    @Test func `is a change for each, if others refer to them`() throws {
        let store = try Board.store()
        try store.write { try $0.insert((1...5).map { Card(id: $0, board: Ref(1)) }) }
        let count = try store.write { tx in
            let count = try tx.deleteAll(Board.self)
            try tx.insert(Board(id: 2, name: "kept"))
            try tx.insert(Board(id: 9))
            return count
        }
        #expect(count == 3)
        let changes = try #require(try store.event(store.sequence)).changes
        #expect(
            changes.map(\.entity) == Array(repeating: "Board", count: 4)
                + Array(repeating: "Card", count: 5))
        #expect(changes[1].id == RecordID(2))
        if case .updated = changes[1] {} else { Issue.record("\(changes[1])") }
        #expect(try store.all(Board.self).map(\.name) == ["kept", ""])
        #expect(try store.count(Card.self) == 0)
    }

    @Test func `keeps the place in the checkpoint of what is put back`() throws {
        let directory = try TemporaryDirectory()
        func open() throws -> Store {
            try Store(at: directory.store, entities: Board.self, Person.self, Card.self)
        }
        var store = try open()
        try store.write { try $0.insert((1...3).map { Board(id: $0) }) }
        try store.close()
        store = try open()
        try store.write { tx in
            try tx.deleteAll(Board.self)
            try tx.insert(Board(id: 2, name: "kept"))
        }
        let number = store.snapshot.table("Board")?.row(RecordID(2))?.number
        #expect(number == 2)
        let digest = try store.snapshot.digest()
        try store.close()
        store = try open()
        #expect(store.recovery.checkpoint == .loaded(2))
        #expect(try store.snapshot.digest() == digest)
    }

    @Test func `lists the deletions, if the block puts some back that refer to others`() throws {
        let store = try Board.store()
        try store.write { tx in
            try tx.insert((1...3).map { Card(id: $0, board: Ref(1)) })
            try tx.update(Card.self, 1) { $0.blockedBy = [Ref(2), Ref(3)] }
        }
        try store.write { tx in
            try tx.deleteAll(Card.self)
            try tx.insert([
                Card(id: 1, board: Ref(1), blockedBy: [Ref(2), Ref(3)]), Card(id: 3, board: Ref(1)),
            ])
        }
        #expect(try store.get(Card.self, 1)?.blockedBy == [Ref(3)])
        #expect(try #require(try store.event(store.sequence)).changes.compactMap(\.id).count == 2)
    }

    @Test func `is one change, if only they refer to each other`() throws {
        let store = try Board.store()
        try store.write { tx in
            try tx.insert((1...5).map { Card(id: $0, board: Ref(1)) })
            try tx.update(Card.self, 1) { $0.blockedBy = [Ref(2), Ref(3)] }
        }
        try store.write { try $0.deleteAll(Card.self) }
        let changes = try #require(try store.event(store.sequence)).changes
        #expect(changes == [.cleared(entity: "Card", count: 5)])
    }

    @Test func `writes nothing, if that is larger than an event may be`() throws {
        var options = Store.Options()
        options.eventBytesMax = 4_000
        let store = try Store(inMemory: Board.self, Person.self, Card.self, options: options)
        for id in 1...100 { try store.write { try $0.insert(Board(id: id, name: "\(id)")) } }
        try store.write { try $0.insert(Card(id: 1, board: Ref(1))) }
        let sequence = store.sequence
        let name = String(repeating: "x", count: 60)
        for id in 1...100 { try store.write { try $0.upsert(Board(id: id, name: name)) } }
        #expect(code { try store.write { _ = try $0.deleteAll(Board.self) } } == .limitExceeded)
        #expect(store.sequence == sequence.advanced(by: 100))
        #expect(try store.count(Board.self) == 100)
        #expect(try store.count(Card.self) == 1)
    }

    @Test func `is refused, if a relation denies it`() throws {
        let store = try Board.store()
        try store.write { try $0.insert(Card(id: 1, board: Ref(1), reviewer: Ref("ann"))) }
        #expect(code { try store.write { _ = try $0.deleteAll(Person.self) } } == .deletionDenied)
        try store.write { tx in
            try tx.deleteAll(Person.self)
            try tx.deleteAll(Card.self)
        }
        #expect(try store.count(Person.self) == 0)
    }
}
