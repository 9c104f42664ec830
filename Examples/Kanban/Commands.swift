import Skyros

/// The commands of the program, one a line: what they do to a board, and what they print.
struct Commands {
    let workspace: Workspace
    let board: Board

    static let help = """
        show                    the board
        add TITLE               a new card in the first column
        move CARD COLUMN        a card, by its number, to a column, by its name
        rename CARD TITLE
        delete CARD
        history CARD            who changed it, when and how
        undo                    takes back the last change
        """

    func run(_ line: String) throws -> String {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let rest = line.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init)
        switch (words.first, words.dropFirst().first, words.dropFirst(2).first) {
        case ("show", _, _): break
        case ("add", _?, _):
            guard let first = try workspace.columns(of: board).first else { return Self.help }
            _ = try workspace.addCard(rest ?? "", to: first)
        case ("move", let number?, let name?):
            guard let card = try card(number), let column = try column(name) else {
                return "there is no card \(number), or no column \(name)"
            }
            try workspace.move(card, to: column)
        case ("rename", let number?, let title?):
            guard let card = try card(number) else { return "there is no card \(number)" }
            try workspace.rename(card, to: title)
        case ("delete", let number?, _):
            guard let card = try card(number) else { return "there is no card \(number)" }
            try workspace.delete(card)
        case ("history", let number?, _):
            guard let card = try card(number) else { return "there is no card \(number)" }
            return try workspace.history(of: card).joined(separator: "\n")
        case ("undo", _, _):
            guard try workspace.undo() != nil else { return "there is nothing to undo" }
        default: return Self.help
        }
        return try picture()
    }

    /// The columns with their cards, numbered through.
    private func picture() throws -> String {
        var number = 0
        return try workspace.columns(of: board).map { column in
            let cards = try workspace.cards(in: column).map { card in
                number += 1
                return "\n  \(number) \(card.title)"
            }
            return column.name + cards.joined()
        }
        .joined(separator: "\n")
    }

    private func card(_ number: String) throws -> Card? {
        guard let number = Int(number), number > 0 else { return nil }
        let cards = try workspace.columns(of: board).flatMap { try workspace.cards(in: $0) }
        return cards.dropFirst(number - 1).first
    }

    private func column(_ name: String) throws -> Column? {
        try workspace.columns(of: board).first { $0.name == name }
    }
}
