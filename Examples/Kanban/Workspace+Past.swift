import Foundation
import Skyros

extension Workspace {
    /// What happened to a card, oldest first: "2 alice moved to Done [column: … → …]".
    func history(of card: Card) throws -> [String] {
        try store.history(of: Card.self, card.id).map { entry in
            try "\(entry.sequence) \(entry.actor ?? "-") \(entry.reason ?? "-") \(entry.changes)"
        }
    }

    /// Takes back the user's newest step that was not taken back yet, as a new event, and returns
    /// its first event. The creation of a board stays; then there is nothing left to undo, and the
    /// result is nil.
    @discardableResult
    func undo() throws -> Event? {
        let steps = UndoStack(store, actor: user)
        guard let step = try steps.undoSteps.first, let first = step.events.first,
            let event = try store.event(first),
            !event.changes.contains(where: { $0.entity == Board.entityName })
        else { return nil }
        try steps.undo()
        return event
    }
}
