import Foundation
import Skyros

/// The boards of a team, as one of its members edits them.
struct Workspace {
    let store: Store
    /// The actor of all events.
    let user: String
}

extension Workspace {
    init(at url: URL, user: String) throws {
        let store = try Store(at: url, entities: Board.self, Column.self, Card.self)
        self.init(store: store, user: user)
    }

    // MARK: Boards and columns

    func addBoard(_ name: String, columns: [String]) throws -> Board {
        try store.write(by: user, because: "new board") { tx in
            let board = Board(name: name)
            try tx.insert(board)
            for (index, name) in columns.enumerated() {
                try tx.insert(Column(board: board.ref, name: name, rank: Double(index)))
            }
            return board
        }
    }

    func columns(of board: Board) throws -> [Column] {
        try store.all(Column.self, where: \.board == board.ref, sortedBy: \.rank)
    }

    func delete(_ column: Column) throws {
        try store.write(by: user, because: "column deleted") { try $0.delete(column) }
    }

    // MARK: Cards

    func cards(in column: Column) throws -> [Card] {
        try store.all(Card.self, where: \.column == column.ref, sortedBy: \.rank)
    }

    func addCard(_ title: String, to column: Column) throws -> Card {
        try store.write(by: user, because: "new card") { tx in
            let last = try tx.max(Card.self, of: \.rank, where: \.column == column.ref)
            let card = Card(column: column.ref, title: title, rank: (last ?? 0) + 1)
            try tx.insert(card)
            return card
        }
    }

    func rename(_ card: Card, to title: String) throws {
        try store.write(by: user, because: "renamed") { tx in
            try tx.update(Card.self, card.id) { $0.title = title }
        }
    }

    func delete(_ card: Card) throws {
        try store.write(by: user, because: "card deleted") { try $0.delete(card) }
    }

    /// Moves a card to a place in a column: 0 is the top.
    func move(_ card: Card, to column: Column, at place: Int = .max) throws {
        try store.write(by: user, because: "moved to \(column.name)") { tx in
            let others = try tx.all(Card.self, where: \.column == column.ref, sortedBy: \.rank)
                .filter { $0.id != card.id }
            try tx.update(Card.self, card.id) { card in
                card.column = column.ref
                card.rank = rank(at: place, among: others.map(\.rank))
            }
        }
    }

    /// A rank between the ranks above and below a place.
    private func rank(at place: Int, among ranks: [Double]) -> Double {
        let above = ranks.prefix(place).last
        let below = ranks.dropFirst(place).first
        return switch (above, below) {
        case (let above?, let below?): (above + below) / 2
        case (let above?, nil): above + 1
        case (nil, let below?): below - 1
        case (nil, nil): 1
        }
    }
}
