import Foundation
import Skyros

/// A small board: cards belong to a board, people are assigned to them.
struct Board: Entity, Equatable {
    var id: Int
    var name = ""
    static let indexes: [Index<Board>] = [.on(\.name)]
}

struct Person: Entity, Equatable {
    var id: String
}

struct Card: Entity, Equatable {
    var id: Int
    var title = ""
    var board: Ref<Board>
    var assignee: Ref<Person>?
    var blockedBy: [Ref<Card>] = []
    var reviewer: Ref<Person>?
    static let relations: [Relation<Card>] = [
        .to(\.board, onDelete: .cascade),
        .to(\.assignee, onDelete: .nullify),
        .toMany(\.blockedBy, onDelete: .remove),
        .to(\.reviewer, onDelete: .deny),
    ]
}

extension Board {
    /// A store with boards 1 to 3, the people "ann" and "bob", and no cards.
    static func store() throws -> Store {
        let store = try Store(inMemory: Board.self, Person.self, Card.self)
        try store.write { tx in
            try tx.insert((1...3).map { Board(id: $0, name: "board \($0)") })
            try tx.insert([Person(id: "ann"), Person(id: "bob")])
        }
        return store
    }
}
