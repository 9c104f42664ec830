import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The declaration of a relation` {
    @Test func `needs the type that it refers to`() throws {
        let error = failure(as: StoreError.self) { _ = try Store(inMemory: Card.self, Board.self) }
        #expect(error?.code == .unknownEntity)
        #expect(error?.message.contains("add Person.self") == true)
        #expect(error?.place.field == "assignee")
    }

    @Test func `needs a stored property, or the name of its field`() throws {
        let error = failure(as: StoreError.self) {
            _ = try Store(inMemory: Computed.self, Board.self)
        }
        #expect(error?.code == .invalidSchema)
        #expect(error?.message.contains("field: \"name\"") == true)
    }

    @Test func `is refused twice for one field`() throws {
        let found = code { _ = try Store(inMemory: Twice.self, Board.self) }
        #expect(found == .invalidSchema)
    }

    @Test func `is confirmed by the records`() throws {
        let store = try Store(inMemory: Renamed.self, Board.self)
        let found = code {
            try store.write { tx in
                try tx.insert(Board(id: 1))
                try tx.insert(Renamed(id: 5, board: Ref(1)))
            }
        }
        #expect(found == .invalidSchema)

        let named = try Store(inMemory: Named.self, Board.self)
        try named.write { tx in
            try tx.insert(Board(id: 1))
            try tx.insert(Named(id: 5, board: Ref(1)))
        }
        #expect(try named.count(Named.self, referring: \.board, to: Ref(1)) == 1)
        try named.write { try $0.delete(Board.self, 1) }
        #expect(try named.count(Named.self) == 0)
    }

    @Test func `can be written down and read again`() throws {
        let relations = try Board.store().relations
        #expect(
            relations.map(\.description) == [
                "Card.board → Board, on delete cascade",
                "Card.assignee → Person, on delete nullify",
                "Card.blockedBy[] → Card, on delete remove",
                "Card.reviewer → Person, on delete deny",
            ])
        let bytes = try CBOREncoder().encode(relations)
        #expect(try CBORDecoder().decode([RelationDescription].self, from: bytes) == relations)
    }

    @Test func `implies an index, which filters use`() throws {
        let store = try Board.store()
        try store.write { try $0.insert((1...5).map { Card(id: $0, board: Ref($0 % 2 + 1)) }) }
        let snapshot = store.snapshot
        let table = try #require(snapshot.table("Card"))
        let request = FetchRequest<Card>(where: \.board == Ref(2))
        #expect(table.plan(request).range?.index == 0)
        #expect(table.plan(request).isExact)
        #expect(try snapshot.fetch(request).map(\.id) == [1, 3, 5])
        #expect(try snapshot.all(Card.self, where: \.assignee == nil).count == 5)
        // A list is not compared element by element.
        #expect(table.plan(FetchRequest<Card>(where: \.blockedBy == [])).range == nil)
        #expect(try snapshot.count(Card.self, where: \.blockedBy == []) == 5)
    }

    @Test func `uses an index that is declared anyway`() throws {
        let store = try Store(inMemory: Unique.self, Board.self)
        #expect(store.snapshot.table("Unique")?.indexes.count == 1)
        try store.write { tx in
            try tx.insert(Board(id: 1))
            try tx.insert(Unique(id: 1, board: Ref(1)))
        }
        let found = code { try store.write { try $0.insert(Unique(id: 2, board: Ref(1))) } }
        #expect(found == .uniqueViolation)
        try store.write { try $0.delete(Board.self, 1) }
        #expect(try store.count(Unique.self) == 0)
    }

    @Test func `stores a reference as the id`() throws {
        let store = try Board.store()
        try store.write { try $0.insert(Card(id: 1, board: Ref(2), blockedBy: [Ref(1)])) }
        let record = try #require(try store.snapshot.record("Card", RecordID(1)))
        #expect(record["board"] == 2)
        #expect(record["blockedBy"] == [1])
        #expect(record["assignee"] == nil)
    }
}

private struct Computed: Entity {
    var id: Int
    var number = 0
    var board: Ref<Board> { Ref(number) }
    static let relations: [Relation<Computed>] = [.to(\.board, onDelete: .cascade)]
}

private struct Twice: Entity {
    var id: Int
    var board: Ref<Board>
    static let relations: [Relation<Twice>] = [
        .to(\.board, onDelete: .cascade), .to(\.board, onDelete: .deny),
    ]
}

private struct Renamed: Entity {
    enum CodingKeys: String, CodingKey { case id, board = "b" }
    var id: Int
    var board: Ref<Board>
    static let relations: [Relation<Renamed>] = [.to(\.board, onDelete: .cascade)]
}

private struct Named: Entity {
    enum CodingKeys: String, CodingKey { case id, board = "b" }
    var id: Int
    var board: Ref<Board>
    static let relations: [Relation<Named>] = [.to(\.board, field: "b", onDelete: .cascade)]
}

private struct Unique: Entity {
    var id: Int
    var board: Ref<Board>
    static let indexes: [Index<Unique>] = [.unique(\.board)]
    static let relations: [Relation<Unique>] = [.to(\.board, onDelete: .cascade)]
}
