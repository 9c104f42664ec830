import Foundation
import Skyros
import Testing

// The code of the article Relationships; `GuideTests` compares the two.

private enum Kanban {
    struct User: Entity {
        var id = UUID()
        var name: String
    }

    struct Board: Entity {
        var id = UUID()
        var name: String
    }

    struct Card: Entity {
        var id = UUID()
        var title: String
        var board: Ref<Board>
        var assignee: Ref<User>?
        var blockedBy: [Ref<Card>] = []
        static let relations: [Relation<Card>] = [
            .to(\.board, onDelete: .cascade),
            .to(\.assignee, onDelete: .nullify),
            .toMany(\.blockedBy, onDelete: .remove),
        ]
    }
}

private typealias User = Kanban.User
private typealias Board = Kanban.Board
private typealias Card = Kanban.Card

@Suite struct `The guide to relationships` {
    private let store: Store
    private let user = User(name: "Ada")
    private let card: Card

    init() throws {
        store = try Store(inMemory: User.self, Board.self, Card.self)
        let (inbox, user) = (Board(name: "Inbox"), user)
        let first = Card(title: "first", board: inbox.ref)
        card = Card(title: "second", board: inbox.ref, assignee: user.ref, blockedBy: [first.ref])
        let card = card
        try store.write { tx in
            try tx.insert(user)
            try tx.insert(inbox)
            try tx.insert([first, card])
        }
    }

    @Test func `follows references`() throws {
        let board = try store.get(card.board)  // nil if there is none
        let blockers = try store.get(card.blockedBy)  // in the order of the list

        let cards = try store.all(Card.self, referring: \.board, to: card.board)
        let size = try store.count(Card.self, referring: \.board, to: card.board)
        let mine = try store.all(Card.self, where: \.assignee == user.ref)

        #expect(board?.name == "Inbox" && blockers.map(\.title) == ["first"])
        #expect(cards.count == size && size == 2 && mine.map(\.title) == ["second"])

        for (card, board) in try store.join(Card.self, \.board, whereTarget: \.name == "Inbox") {
            print(board.name, card.title)
        }

        let graph = try store.graph(
            of: card.board, following: [.inverse(\Card.board), .forward(\Card.assignee)])
        for card in graph.all(Card.self) {
            print(card.title, graph[card.assignee]?.name ?? "nobody")
        }
        #expect(graph.count == 4)

        let user = user
        try store.write { tx in
            try tx.assign(cards.map(\.ref), to: user.ref, by: \.assignee)
        }
        #expect(try store.count(Card.self, where: \.assignee == user.ref) == 2)
    }
}
