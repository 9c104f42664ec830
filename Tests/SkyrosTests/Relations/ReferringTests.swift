import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `Records that refer to a record` {
    private let store: Store

    init() throws {
        store = try Board.store()
        try store.write { tx in
            for id in 1...6 {
                let blockers: [Ref<Card>] = id > 2 ? [Ref(1), Ref(2), Ref(1)] : []
                try tx.insert(
                    Card(
                        id: id, title: "\(9 - id)", board: Ref(id % 2 + 1),
                        assignee: id == 4 ? nil : Ref("ann"), blockedBy: blockers))
            }
        }
    }

    @Test func `are found, filtered and sorted`() throws {
        #expect(try store.all(Card.self, referring: \.board, to: Ref(2)).map(\.id) == [1, 3, 5])
        let sorted = try store.all(
            Card.self, referring: \.board, to: Ref(2), where: \.id > 1,
            sortedBy: [.ascending(\.title)])
        #expect(sorted.map(\.id) == [5, 3])
        #expect(try store.count(Card.self, referring: \.assignee, to: Ref("ann")) == 5)
        #expect(try store.all(Card.self, referring: \.blockedBy, to: Ref(2)).count == 4)
        #expect(try store.count(Card.self, referring: \.blockedBy, to: Ref(1)) == 4)
        #expect(try store.all(Card.self, referring: \.board, to: Ref(3)).isEmpty)
    }

    /// The titles descend with the ids.
    @Test func `are in the order of their ids if the sort begins with it, whatever follows`()
        throws
    {
        let sort: [Sort<Card>] = [.byID, .ascending(\.title)]
        let found = try store.all(Card.self, referring: \.board, to: Ref(2), sortedBy: sort)
        #expect(found.map(\.id) == [1, 3, 5])
        let pairs = try store.join(Card.self, \.board, sortedBy: sort)
        #expect(pairs.map(\.record.id) == [1, 2, 3, 4, 5, 6])
        let named = try store.join(
            Card.self, \.board, whereTarget: \.name == "board 2", sortedBy: sort)
        #expect(named.map(\.record.id) == [1, 3, 5])
    }

    @Test func `are found in a block with its own changes, and in the past`() throws {
        let before = store.sequence
        try store.write { tx in
            try tx.update(Card.self, 1) { $0.blockedBy = [Ref(2)] }
            try tx.update(Card.self, 3) { $0.blockedBy = [] }
            let found = try tx.all(Card.self, referring: \.blockedBy, to: Ref(2))
            #expect(found.map(\.id) == [1, 4, 5, 6])
            #expect(try tx.get(tx.get(Card.self, 1)?.assignee) == Person(id: "ann"))
        }
        let past = try store.snapshot(asOf: .sequence(before))
        let found = try past.all(Card.self, referring: \.blockedBy, to: Ref(2))
        #expect(found.map(\.id) == [3, 4, 5, 6])
    }

    @Test func `are found by names`() throws {
        let snapshot = store.snapshot
        let found = try snapshot.records("Card", referringBy: "blockedBy", to: RecordID(2))
        #expect(found.map(\.id) == (3...6).map { RecordID($0) })
        let unknown = code {
            _ = try snapshot.records("Card", referringBy: "title", to: RecordID(2))
        }
        #expect(unknown == .unknownRelation)
    }

    @Test func `are not found by a property without a relation`() throws {
        let other = try Store(inMemory: Loose.self, Board.self)
        let error = failure(as: StoreError.self) {
            _ = try other.all(Loose.self, referring: \.board, to: Ref(1))
        }
        #expect(error?.code == .unknownRelation)
        #expect(error?.message.contains("static let relations") == true)
        #expect(code { _ = try other.join(Loose.self, \.board) } == .unknownRelation)
        let steps: [GraphStep] = [.inverse(\Loose.board)]
        let graph = code { _ = try other.graph(of: Ref<Board>(1), following: steps) }
        #expect(graph == .unknownRelation)
    }

    // MARK: Joins

    @Test func `are joined with it`() throws {
        let pairs = try store.join(Card.self, \.board, where: \.id < 4)
        #expect(
            pairs.map { "\($0.record.id) \($0.target.name)" } == [
                "1 board 2", "2 board 1", "3 board 2",
            ])
        let named = try store.join(
            Card.self, \.board, whereTarget: \.name == "board 2",
            sortedBy: [.descending(\.id)])
        #expect(named.map(\.record.id) == [5, 3, 1])
        let both = try store.join(
            Card.self, \.assignee, where: \.id > 3, whereTarget: \.id != "bob")
        #expect(both.map(\.record.id) == [5, 6])
    }

    @Test func `are joined with each of a list, in its order`() throws {
        try store.write { try $0.update(Card.self, 1) { $0.blockedBy = [Ref(3), Ref(2)] } }
        let pairs = try store.join(Card.self, \.blockedBy, where: \.id == 1)
        #expect(pairs.map(\.target.id) == [3, 2])
        let some = try store.join(Card.self, \.blockedBy, whereTarget: \.id == 2)
        #expect(some.map(\.record.id) == [1, 3, 4, 5, 6])
    }

    // MARK: Graphs

    @Test func `are in a graph, as far as the steps lead`() throws {
        let root = Ref<Board>(2)
        let cards = try store.graph(of: root, following: [.inverse(\Card.board)])
        #expect(cards.all(Card.self).map(\.id) == [1, 3, 5])
        #expect(cards.count(Person.self) == 0)
        #expect(cards.all(Card.self, referring: \.board, to: root).count == 3)
        // From a card, one step away from the root, to those that block it.
        let near = try store.graph(
            of: root, following: [.inverse(\Card.board), .forward(\Card.blockedBy, depth: 1)])
        #expect(near.count(Card.self) == 3)
        let far = try store.graph(
            of: root, following: [.inverse(\Card.board), .forward(\Card.blockedBy, depth: 2)])
        #expect(far.all(Card.self).map(\.id) == [1, 2, 3, 5])
        #expect(far[Ref<Card>(2)]?.title == "7")
        #expect(far[Ref<Card>(6)] == nil)
        #expect(try store.graph(of: Ref<Board>(77), following: [.allForward()]).count == 0)
        let all = try store.graph(of: root, following: [.allForward(), .allInverse()])
        #expect(all.count == 9)
    }

    @Test func `are in a graph whose root is read as another type than its table's`() throws {
        let root = Ref<NamedBoard>(2)
        let graph = try store.graph(of: root, following: [.inverse(\Card.board)])
        #expect(graph[root]?.name == "board 2")
        #expect(graph.all(NamedBoard.self).map(\.id) == [2])
        #expect(graph.all(Card.self).map { graph[$0.board]?.id } == [2, 2, 2])
        #expect(graph.count == 4)

        let directory = try TemporaryDirectory()
        let stored = try Store(at: directory.store, entities: Board.self)
        try stored.write { try $0.insert(Board(id: 2, name: "b")) }
        try stored.close()
        let untyped = try Archive(at: directory.store).snapshot().graph(of: root, following: [])
        #expect(untyped[root]?.name == "b")
        #expect(untyped.count == 1)
    }

    // MARK: Assignments

    @Test func `are assigned as a set, which changes only what differs`() throws {
        try store.write { tx in
            try tx.assign([Ref<Card>(1), Ref(4)], to: Ref<Person>("ann"), by: \.assignee)
        }
        let assigned = try store.all(Card.self, referring: \.assignee, to: Ref("ann"))
        #expect(assigned.map(\.id) == [1, 4])
        let changed = try #require(try store.event(store.sequence)).changes.compactMap(\.id)
        #expect(Set(changed) == Set([2, 3, 4, 5, 6].map { RecordID($0) }))
        #expect(changed.count == 5)
    }

    @Test func `cannot be left without a required reference`() throws {
        let sequence = store.sequence
        let error = failure(as: StoreError.self) {
            try store.write { try $0.assign([Ref<Card>(2)], to: Ref<Board>(2), by: \.board) }
        }
        #expect(error?.code == .brokenReference)
        #expect(error?.place.ids == [1, 3, 5].map { RecordID($0) })
        #expect(store.sequence == sequence)
        let all = (1...6).map { Ref<Card>($0) }
        try store.write { try $0.assign(all, to: Ref<Board>(2), by: \.board) }
        #expect(try store.count(Card.self, referring: \.board, to: Ref(2)) == 6)
    }

    @Test func `are not assigned if one of them does not exist`() throws {
        let cards: [Ref<Card>] = [Ref(8), Ref(1), Ref(9)]
        let error = failure(as: StoreError.self) {
            try store.write { try $0.assign(cards, to: Ref<Person>("bob"), by: \.assignee) }
        }
        #expect(error?.code == .notFound)
        #expect(error?.place.ids == [RecordID(8), RecordID(9)])
    }
}

private struct Loose: Entity {
    var id: Int
    var board: Ref<Board>
}

private struct NamedBoard: Entity {
    static let entityName = "Board"
    var id: Int
    var name: String
}
