import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A reference that leads to no record` {
    private let store: Store

    init() throws {
        store = try Board.store()
    }

    private func broken(_ block: (inout WriteTransaction) throws -> Void) -> [String] {
        let error = failure(as: StoreError.self) { try store.write { try block(&$0) } }
        guard error?.code == .brokenReference else { return [] }
        return error?.place.references.map(\.description) ?? []
    }

    @Test func `is refused with all others of the block`() throws {
        let sequence = store.sequence
        let found = broken { tx in
            try tx.insert(Card(id: 1, board: Ref(8), assignee: Ref("zoe")))
            try tx.insert(Card(id: 2, board: Ref(1), blockedBy: [Ref(1), Ref(5), Ref(5), Ref(6)]))
        }
        #expect(
            found == [
                "Card 1.board → Board 8", "Card 1.assignee → Person zoe",
                "Card 2.blockedBy → Card 5", "Card 2.blockedBy → Card 6",
            ])
        #expect(store.sequence == sequence)
        #expect(try store.count(Card.self) == 0)
    }

    @Test func `may lead to a record that a later step inserts`() throws {
        try store.write { tx in
            try tx.insert(Card(id: 1, board: Ref(9), blockedBy: [Ref(2), Ref(1)]))
            try tx.insert(Card(id: 2, board: Ref(9), blockedBy: [Ref(1)]))
            try tx.insert(Board(id: 9))
        }
        let board = try store.get(store.get(Card.self, 1)?.board)
        #expect(board == Board(id: 9))
    }

    @Test func `is found in an update`() throws {
        try store.write { try $0.insert(Card(id: 1, board: Ref(1))) }
        let found = broken { try $0.update(Card.self, 1) { $0.assignee = Ref("zoe") } }
        #expect(found == ["Card 1.assignee → Person zoe"])
    }

    @Test func `is compared by the bytes of the id, as records are`() throws {
        let composed = "\u{E9}"
        try store.write { try $0.insert(Person(id: composed)) }
        let found = broken {
            try $0.insert(Card(id: 1, board: Ref(1), assignee: Ref("e\u{301}")))
        }
        #expect(found.count == 1)
        try store.write { tx in
            try tx.insert(Person(id: "e\u{301}"))
            try tx.insert(Card(id: 1, board: Ref(1), assignee: Ref("e\u{301}")))
        }
        #expect(try store.count(Card.self, referring: \.assignee, to: Ref(composed)) == 0)
        try store.write { try $0.delete(Person.self, composed) }
        #expect(try store.get(Card.self, 1)?.assignee != nil)
    }
}

/// Cards of an older version, without relations.
private struct OldCard: Entity {
    static let entityName = "Card"
    var id: Int
    var title = ""
    var board: Int
    var assignee: String?
    var blockedBy: [Int] = []
}

@Suite struct `References that existed before their relation` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: OldCard.self, Board.self, Person.self)
        try store.write { tx in
            try tx.insert(Board(id: 1))
            try tx.insert(OldCard(id: 1, board: 1, blockedBy: [2]))
            try tx.insert(OldCard(id: 2, board: 7, assignee: "zoe", blockedBy: [1, 9, 9, 8]))
            try tx.insert(OldCard(id: 3, board: 7))
        }
        try store.close()
    }

    @Test func `are a reason to ask whether the store is set aside`() async throws {
        let store = try await Store.open(
            at: directory.store, entities: Card.self, Board.self, Person.self
        ) { error in
            error.code == .brokenReference ? .setAside : .abort
        }
        #expect(store.recovery.setAside?.error.code == .brokenReference)
        #expect(try store.count(Card.self) == 0)
        try store.close()
    }

    private func open(_ existing: Store.Options.ExistingBrokenReferences) throws -> Store {
        var options = Store.Options()
        options.existingBrokenReferences = existing
        return try Store(
            at: directory.store, entities: Board.self, Person.self, Card.self, options: options)
    }

    private let all = [
        "Card 2.board → Board 7", "Card 3.board → Board 7", "Card 2.assignee → Person zoe",
        "Card 2.blockedBy → Card 8", "Card 2.blockedBy → Card 9",
    ]

    @Test func `refuse the opening if they are broken`() throws {
        let before = try directory.contents()
        let error = failure(as: StoreError.self) { _ = try open(.refuse) }
        #expect(error?.code == .brokenReference)
        #expect(error?.place.references.map(\.description) == all)
        #expect(error?.message.contains("existingBrokenReferences") == true)
        #expect(try directory.contents() == before)
    }

    @Test func `are reported, and may stay until they are changed`() throws {
        let store = try open(.report)
        #expect(store.recovery.brokenReferences.map(\.description) == all)
        #expect(try store.get(store.get(Card.self, 3)?.board) == nil)
        try store.write { try $0.update(Card.self, 2) { $0.title = "changed" } }
        let found = code { try store.write { try $0.update(Card.self, 2) { $0.board = Ref(6) } } }
        #expect(found == .brokenReference)
        try store.write { tx in
            try tx.update(Card.self, 2) { card in
                card.board = Ref(1)
                card.assignee = nil
                card.blockedBy.removeAll { $0.id > 7 }
            }
            try tx.insert(Board(id: 7))
        }
        try store.close()
        #expect(try open(.refuse).recovery.brokenReferences.isEmpty)
    }

    @Test func `are not searched if the app ignores them`() throws {
        #expect(try open(.ignore).recovery.brokenReferences.isEmpty)
    }

    @Test(arguments: [1, 5_000])
    func `are found among UUIDs by the index alone`(count: Int) throws {
        let place = try TemporaryDirectory()
        var random = RandomSource(seed: 5)
        let ids = (0..<count).map { _ in random.uuid() }
        let lost = random.uuid()
        let first = try Store(at: place.store, entities: Leaf.Old.self)
        try first.write { tx in
            try tx.insert(ids.map { Leaf.Old(id: $0, parent: ids[random.below(count)]) })
            try tx.upsert(Leaf.Old(id: ids[0], parent: lost))
        }
        try first.close()
        var options = Store.Options()
        options.existingBrokenReferences = .report
        let store = try Store(at: place.store, entities: Leaf.self, options: options)
        #expect(store.recovery.brokenReferences.map(\.targetID) == [RecordID(lost)])
        #expect(store.recovery.brokenReferences.map(\.id) == [RecordID(ids[0])])
    }
}

private struct Leaf: Entity {
    struct Old: Entity {
        static let entityName = "Leaf"
        var id: UUID
        var parent: UUID?
    }

    var id: UUID
    var parent: Ref<Leaf>?
    static let relations: [Relation<Leaf>] = [.to(\.parent, onDelete: .nullify)]
}
