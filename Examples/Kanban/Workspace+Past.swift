import Foundation
import Skyros

/// The domain command of an undo, which its event keeps: which event is taken back.
struct Undo: DomainCommand {
    var event: SequenceNumber
}

extension Workspace {
    /// What happened to a card, oldest first: "2 alice moved to Done [column: … → …]".
    func history(of card: Card) throws -> [String] {
        try store.history(of: Card.self, card.id).map { entry in
            try "\(entry.sequence) \(entry.actor ?? "-") \(entry.reason ?? "-") \(entry.changes)"
        }
    }

    /// Takes back the newest event that was not taken back yet, as a new event, and returns it.
    /// The creation of a board stays; then there is nothing left to undo, and the result is nil.
    @discardableResult
    func undo() throws -> Event? {
        var undone: Set<SequenceNumber> = []
        for sequence in stride(from: store.sequence, to: 0, by: -1) {
            guard let event = try store.event(sequence) else { continue }
            if let intent = event.intent, intent.name == Undo.commandName {
                undone.insert(try intent.decode(as: Undo.self).event)
            } else if event.changes.contains(where: { $0.entity == Board.entityName }) {
                return nil
            } else if !undone.contains(sequence) {
                try takeBack(event)
                return event
            }
        }
        return nil
    }

    /// Brings the records that an event changed back to the state before it.
    private func takeBack(_ event: Event) throws {
        let sequence = event.sequence
        let before = try store.snapshot(asOf: .sequence(sequence.advanced(by: -1)))
        try store.write(by: user, because: "undo", intent: Undo(event: sequence)) { tx in
            for change in event.changes {
                guard let id = change.id else { continue }
                if let record = try before.record(change.entity, id) {
                    try tx.upsert(record)
                } else {
                    try tx.delete(change.entity, id)
                }
            }
        }
    }
}
