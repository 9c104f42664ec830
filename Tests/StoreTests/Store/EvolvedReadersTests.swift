import Foundation
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

/// A board with cards, before and after an update of the app.
private enum Before {
    struct Board: Entity {
        var id: Int
        var name = ""
    }

    struct Card: Entity {
        var id: Int
        var list: Ref<Board>?
        var blocks: [Ref<Card>] = []
        var points: Int
    }
}

private enum After {
    struct Board: Entity, Equatable {
        var id: Int
        var name = ""
    }

    struct Card: Entity, Equatable {
        var id: Int
        var board: Ref<Board>?
        var blockedBy: [Ref<Card>] = []
        var score: Double
        var note: String?

        static let indexes: [Index<Card>] = [.on(\.score)]
        static let relations: [Relation<Card>] = [
            .to(\.board, onDelete: .nullify), .toMany(\.blockedBy, onDelete: .remove),
        ]
        static let evolution: Evolution<Card> = [
            .version(2) {
                .rename("list", to: "board").rename("blocks", to: "blockedBy")
                    .rename("points", to: "score").retype("score", .integerToReal)
            }
        ]
    }
}

/// Every reader sees what the steps make of records that are stored in an older shape.
@Suite(.mayHang) struct `A record of an older shape` {
    private typealias Card = After.Card
    private let directory: TemporaryDirectory

    /// Board 1 with the cards 1 to 5; each is worth ten times its id and is blocked by card 1.
    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(
            at: directory.store, entities: Before.Board.self, Before.Card.self)
        try store.write { tx in
            try tx.insert([Before.Board(id: 1, name: "A"), Before.Board(id: 2, name: "B")])
            for id in 1...5 {
                try tx.insert(
                    Before.Card(
                        id: id, list: Ref(1), blocks: id == 1 ? [] : [Ref(1)], points: id * 10))
            }
        }
        try store.close()
    }

    private func open() throws -> Store {
        try Store(at: directory.store, entities: After.Board.self, After.Card.self)
    }

    /// Closes the store, and checks what the log and the checkpoint hold.
    private func closeAndVerify(_ store: Store) throws {
        try store.close()
        #expect(try Archive(at: directory.store).verify().problems == [])
    }

    @Test func `is found by the names and values of the newest shape`() throws {
        let store = try open()
        let score = RecordField("score")
        let request = RecordRequest("Card", where: score > 20, sortedBy: [.descending("score")])
        #expect(try store.records(request).map(\.id) == [5, 4, 3].map { RecordID($0) })
        #expect(try store.count(request) == 3)
        #expect(try store.records(request)[0]["board"] == 1)
        #expect(try store.explain(request).accesses.count == 1)
        let unsorted = RecordRequest("Card", where: RecordField("board") == 1, limit: 2)
        let page = try store.page(unsorted)
        #expect(page.items.count == 2)
        #expect(try store.page(unsorted, after: page.next).items.count == 2)
        #expect(
            code { _ = try store.records("Card", where: RecordField("points") > 1) }
                == .unknownField)
        #expect(try store.record("Card", RecordID(2))?["score"] == 20.0)
        #expect(try store.records("Card").allSatisfy { $0["points"] == nil })
        let value = try store.value(of: "score", in: Card.self, 3, as: Double.self)
        #expect(value == 30)
        try store.write { try $0.set(Card.self, 3, ["score": 31.5]) }
        #expect(try store.get(Card.self, 3)?.score == 31.5)
        // The archive shows what is stored, as it knows no types.
        #expect(try store.event(1)?.changes.count == 7)
        try closeAndVerify(store)
    }

    @Test func `is read and changed by names in a write block`() throws {
        let store = try open()
        let id = RecordID(2)
        try store.write { tx in
            #expect(try tx.record("Card", id)?["score"] == 20.0)
            #expect(try tx.record("Card", id)?["points"] == nil)
            try tx.update("Card", id) { $0["score"] = 21.5 }
            #expect(try tx.record("Card", id)?["score"] == 21.5)
            #expect(try tx.delete("Card", RecordID(3)))
        }
        let card = try store.get(After.Card.self, 2)
        #expect(card?.score == 21.5 && card?.board == Ref(1))
        #expect(try store.exists(After.Card.self, 3) == false)
        try closeAndVerify(store)
    }

    @Test func `is counted, summed and queried by its newest values`() throws {
        let store = try open()
        #expect(try store.sum(Card.self, of: \.score) == 150)
        #expect(try store.max(Card.self, of: \.score, where: \.score < 50) == 40)
        #expect(try store.count(Card.self, where: .in(\.score, [10, 20, 99])) == 2)
        let rows = try store.snapshot.query("SELECT sum(score) FROM Card WHERE board = 1").rows
        #expect(rows == [[150.0]])
        let joined = try store.snapshot.query(
            "SELECT count(*) FROM Board b JOIN Card c ON c.board = b.id WHERE c.score >= 20"
        ).rows
        #expect(joined == [[4]])
    }

    @Test func `is found by its references, and follows their rules`() throws {
        let store = try open()
        #expect(store.recovery.brokenReferences.isEmpty)
        #expect(try store.all(Card.self, referring: \.board, to: Ref(1)).count == 5)
        #expect(try store.all(Card.self, referring: \.blockedBy, to: Ref(1)).count == 4)
        #expect(
            try store.snapshot.records("Card", referringBy: "board", to: RecordID(1))[0]["score"]
                == 10.0)
        #expect(
            try store.join(Card.self, \.board).map(\.target.name) == Array(repeating: "A", count: 5)
        )
        let graph = try store.graph(
            of: Ref<After.Board>(1), following: [.inverse(\Card.board), .forward(\Card.blockedBy)])
        #expect(graph.all(Card.self, referring: \.blockedBy, to: Ref(1)).count == 4)
        #expect(
            code { try store.write { try $0.update(Card.self, 2) { $0.board = Ref(9) } } }
                == .brokenReference)
        try store.write { tx in
            try tx.delete(After.Board.self, 1)
            try tx.delete(Card.self, 1)
        }
        #expect(
            try store.all(Card.self)
                == (2...5).map { Card(id: $0, board: nil, score: Double($0 * 10)) })
        let event = try #require(try store.event(2))
        let places = event.changes.indices.filter { event.changes[$0].entity == "Card" }
        for place in places {
            if case .deleted = event.changes[place] { continue }
            #expect(event.version(ofChange: place) == 2)
        }
        #expect(event.schemas["Card"]?.relations(of: "Card") == store.relations)
        try closeAndVerify(store)
        #expect(try open().all(Card.self, referring: \.blockedBy, to: Ref(1)).isEmpty)
    }

    @Test func `is in live queries and streams as its newest value`() async throws {
        let store = try open()
        var results = store.live(
            Card.self, where: \.score > 20, sortedBy: [.ascending(\.score)], limit: 2
        ).makeAsyncIterator()
        #expect(try await results.next()?.map(\.id) == [3, 4])
        var events = store.changes(of: Card.self, after: 0).makeAsyncIterator()
        try await store.write { tx in try tx.update(Card.self, 3) { $0.score = 1 } }
        #expect(try await results.next()?.map(\.id) == [4, 5])
        try await store.write { _ = try $0.delete(Card.self, 5) }
        #expect(try await results.next()?.map(\.id) == [4])
        #expect(
            try await events.next()?.changes.map { try $0.after?.score } == [10, 20, 30, 40, 50])
        #expect(try await events.next()?.changes.map { try $0.before?.score } == [30])
        #expect(try await events.next()?.changes.map { try $0.before?.score } == [50])
    }

    @Test func `is merged field by field in its newest shape`() throws {
        let store = try open()
        let draft = store.fork(by: "ann")
        try draft.write { tx in
            try tx.update(Card.self, 1) { $0.score = 11 }
            try tx.update(Card.self, 2) { $0.note = "mine" }
            _ = try tx.delete(Card.self, 5)
        }
        #expect(try draft.changes().count == 3)
        try store.write { tx in
            try tx.update(Card.self, 1) { $0.note = "theirs" }
            try tx.update(Card.self, 3) { $0.note = "theirs" }
        }
        #expect(try draft.refresh().isEmpty)
        try draft.write { try $0.update(Card.self, 4) { $0.board = Ref(2) } }
        let result = try draft.merge(because: "done")
        #expect(result.conflicts.isEmpty)
        #expect(result.changeCount == 4)
        #expect(
            try store.get(Card.self, 1)
                == Card(id: 1, board: Ref(1), score: 11, note: "theirs"))
        #expect(try store.get(Card.self, 2)?.score == 20)
        #expect(try store.get(Card.self, 4)?.board == Ref(2))
        try closeAndVerify(store)
        #expect(try open().count(Card.self) == 4)
    }

    @Test func `deleted with all others by a child is one change`() throws {
        let store = try open()
        let draft = store.fork()
        try draft.write { tx in
            _ = try tx.deleteAll(Card.self)
            try tx.insert(Card(id: 9, score: 9))
        }
        try draft.merge()
        #expect(try store.all(Card.self) == [Card(id: 9, score: 9)])
        try closeAndVerify(store)
    }

    @Test func `is written by concurrent blocks and object stores in its newest shape`() throws {
        let store = try open()
        try store.writeConcurrently { tx in
            try tx.update(Card.self, 2) { $0.score += 1 }
        }
        #expect(try store.event(2)?.version(ofChange: 0) == 2)
        let cards = store.objects(Card.self, keeping: 3, newestBy: \.score)
        try cards.insert(Card(id: 6, score: 25))
        #expect(try cards.all().map(\.id) == [5, 4, 3])
        try closeAndVerify(store)
        #expect(try open().count(Card.self) == 3)
    }

    @Test func `changes if the same bytes are written in a newer shape`() async throws {
        let place = try TemporaryDirectory()
        var store = try Store(at: place.store, entities: Note.Old.self)
        try await store.write { try $0.insert(Note.Old(id: 1)) }
        try store.close()
        store = try Store(at: place.store, entities: Note.New.self)
        let before = store.snapshot
        #expect(try before.get(Note.New.self, 1)?.text == "x")
        let reads = ReadSet(of: before)
        reads.note(RecordID(1), inTableAt: 0)
        try await store.write { tx in try tx.update(Note.New.self, 1) { $0.text = nil } }
        #expect(reads.conflict(from: before, to: store.snapshot)?.id == RecordID(1))
        var events = store.changes(of: Note.New.self, after: 0).makeAsyncIterator()
        #expect(try await events.next()?.changes.map { try $0.after?.text } == ["x"])
        #expect(try await events.next()?.changes.map { try $0.after?.text } == [nil])
        for _ in 1...2 {
            #expect(try store.get(Note.New.self, 1)?.text == nil)
            try store.close()
            store = try Store(at: place.store, entities: Note.New.self)
        }
        #expect(try store.snapshot(asOf: .sequence(1)).get(Note.New.self, 1)?.text == "x")
    }
}

private enum Note {
    struct Old: Entity {
        static let entityName = "Note"
        var id: Int
    }

    struct New: Entity {
        static let entityName = "Note"
        var id: Int
        var text: String?
        static let evolution: Evolution<New> = [.version(2) { .add("text", "x") }]
    }
}
