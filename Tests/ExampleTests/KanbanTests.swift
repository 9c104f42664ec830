import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

@testable import Kanban

@Suite struct `A Kanban board` {
    private let workspace: Workspace
    private let board: Board
    private let todo: Column
    private let doing: Column
    private let done: Column

    init() throws {
        let store = try Store(inMemory: Board.self, Column.self, Card.self)
        workspace = Workspace(store: store, user: "alice")
        board = try workspace.addBoard("Home", columns: ["Todo", "Doing", "Done"])
        let columns = try workspace.columns(of: board)
        (todo, doing, done) = (columns[0], columns[1], columns[2])
    }

    private func titles(_ column: Column) throws -> [String] {
        try workspace.cards(in: column).map(\.title)
    }

    @Test func `is made with its columns as one event`() throws {
        #expect(workspace.store.sequence == 1)
        #expect(try workspace.store.event(1)?.changes.count == 4)
        #expect(try workspace.columns(of: board).map(\.name) == ["Todo", "Doing", "Done"])
        #expect(code { _ = try workspace.addBoard("Home", columns: []) } == .uniqueViolation)
    }

    @Test func `keeps the order into which cards are moved`() throws {
        let milk = try workspace.addCard("milk", to: todo)
        let bread = try workspace.addCard("bread", to: todo)
        let paint = try workspace.addCard("paint", to: doing)
        #expect(try titles(todo) == ["milk", "bread"])
        try workspace.move(bread, to: todo, at: 0)
        #expect(try titles(todo) == ["bread", "milk"])
        try workspace.move(paint, to: todo, at: 1)
        #expect(try titles(todo) == ["bread", "paint", "milk"])
        try workspace.move(bread, to: todo)
        #expect(try titles(todo) == ["paint", "milk", "bread"])
        try workspace.move(milk, to: done)
        #expect(try titles(todo) == ["paint", "bread"] && titles(done) == ["milk"])
    }

    @Test func `loses the cards of a column that is deleted, and gets them back by undo`() throws {
        _ = try workspace.addCard("milk", to: todo)
        _ = try workspace.addCard("bread", to: todo)
        try workspace.delete(todo)
        #expect(try workspace.store.count(Card.self) == 0)
        try workspace.undo()
        #expect(try workspace.columns(of: board).map(\.name) == ["Todo", "Doing", "Done"])
        #expect(try titles(todo) == ["milk", "bread"])
    }

    @Test func `takes back one event after the other, and no undo`() throws {
        let milk = try workspace.addCard("milk", to: todo)
        try workspace.rename(milk, to: "oat milk")
        try workspace.move(milk, to: done)
        try workspace.undo()
        #expect(try titles(todo) == ["oat milk"] && titles(done).isEmpty)
        try workspace.undo()
        #expect(try titles(todo) == ["milk"])
        try workspace.move(milk, to: doing)
        try workspace.undo()
        #expect(try titles(todo) == ["milk"])
        try workspace.undo()
        #expect(try workspace.store.count(Card.self) == 0)
        #expect(try workspace.undo() == nil)
        #expect(try workspace.columns(of: board).count == 3)
    }

    @Test func `shows who changed a card, and how`() throws {
        let milk = try workspace.addCard("milk", to: todo)
        try workspace.rename(milk, to: "oat milk")
        let history = try workspace.history(of: milk)
        #expect(history.count == 2)
        #expect(history.last == "3 alice renamed [title: \"milk\" → \"oat milk\"]")
    }

    @Test func `has a past that can be read`() throws {
        let milk = try workspace.addCard("milk", to: todo)
        try workspace.move(milk, to: done)
        let then = try workspace.store.snapshot(asOf: .sequence(2))
        let place = try then.get(then.get(Card.self, milk.id)?.column)
        #expect(place?.name == "Todo")
    }

    @Test func `shows a live list of a column`() async throws {
        let (workspace, todo) = (workspace, todo)
        var lists = workspace.liveCards(in: todo).makeAsyncIterator()
        #expect(try await lists.next()?.map(\.title) == [])
        let milk = try workspace.addCard("milk", to: todo)
        #expect(try await lists.next()?.map(\.title) == ["milk"])
        try workspace.delete(milk)
        #expect(try await lists.next()?.map(\.title) == [])
    }

    @Test func `follows commands`() throws {
        let commands = Commands(workspace: workspace, board: board)
        #expect(try commands.run("show") == "Todo\nDoing\nDone")
        #expect(try commands.run("add buy some milk") == "Todo\n  1 buy some milk\nDoing\nDone")
        #expect(try commands.run("move 1 Doing") == "Todo\nDoing\n  1 buy some milk\nDone")
        #expect(try commands.run("rename 1 buy oat milk").contains("1 buy oat milk"))
        #expect(try commands.run("history 1").hasSuffix("→ \"buy oat milk\"]"))
        #expect(try commands.run("undo").contains("1 buy some milk"))
        #expect(try commands.run("delete 1") == "Todo\nDoing\nDone")
        #expect(try commands.run("delete 1") == "there is no card 1")
        #expect(try commands.run("move 1 Nowhere").hasPrefix("there is no card"))
        for line in ["", "sing", "add", "rename 1"] {
            #expect(try commands.run(line) == Commands.help)
        }
    }

    @Test func `never has a card without its column after a crash`() throws {
        try CrashSimulation(of: Board.self, Column.self, Card.self) { store, choose in
            let workspace = Workspace(store: store, user: "alice")
            let board =
                try store.first(Board.self)
                ?? workspace.addBoard("Home", columns: ["Todo", "Done"])
            let columns = try workspace.columns(of: board)
            let column = columns[choose(columns.count)]
            let card = try workspace.addCard("card", to: column)
            try workspace.move(card, to: columns[0], at: 0)
        }
        .checking("each card is in a column") { state in
            try state.join(Card.self, \.column).count == state.count(Card.self)
        }
        .run(seeds: 1...10)
    }
}
