public import Skyros

/// The failure of a replay: the first event that failed a check.
public struct ReplayFailure: Error, CustomStringConvertible {
    /// What is wrong.
    public let problem: String
    /// The event; nil if the log holds none.
    public let event: Event?

    init(_ problem: String, at event: Event?) {
        self.problem = problem
        self.event = event
    }

    /// The problem, then the event: its number, time, actor, reason and changes.
    public var description: String {
        guard let event else { return problem }
        let actor = event.metadata.actor ?? "-"
        let reason = event.metadata.reason.map { ", \"\($0)\"" } ?? ""
        let changes = event.changes.map { "\n  \(Self.line($0))" }.joined()
        return "\(problem)\nafter event \(event.sequence) of \(event.time) "
            + "by \(actor)\(reason):\(changes)"
    }

    private static func line(_ change: Change) -> String {
        let place = "\(change.entity) \(change.id?.description ?? "")"
        switch change {
        case .inserted(let record): return "inserted \(place) \(text(record.fields))"
        case .deleted(let record): return "deleted \(place) \(text(record.fields))"
        case .updated(_, _, let before, let after):
            return "updated \(place) from \(text(before)) to \(text(after))"
        case .cleared(_, let count): return "deleted all \(count) records of \(change.entity)"
        }
    }

    private static func text(_ fields: Fields) -> String {
        (try? fields.value.jsonText()) ?? "(unreadable)"
    }
}
