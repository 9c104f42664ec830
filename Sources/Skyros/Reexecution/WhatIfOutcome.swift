/// Where another course of history ends, compared with that of the log.
public struct WhatIfOutcome: Sendable {
    /// The state at the end of the other course.
    public let state: Snapshot
    /// The state of the log after the same event.
    public let actual: Snapshot
    /// The number of commands that were executed, edited and inserted ones included.
    public internal(set) var executedCount = 0
    /// The number of events that were applied as the log has them, after the first edit.
    public internal(set) var appliedCount = 0
    /// The number of events that could not be followed as they are.
    public internal(set) var problemCount = 0
    /// The first of them.
    public internal(set) var problems: [Problem] = []

    /// An event that could not be followed as it is on the other course.
    public struct Problem: Sendable {
        /// The event; for an inserted block, the one before it.
        public let sequence: SequenceNumber
        /// Nil for an inserted block.
        public let event: Event?
        /// What a command threw, or an event that breaks a rule of the store: it changes nothing.
        public let error: (any Error)?
        /// The records that were not as the event found them. It was applied as far as possible.
        public let misfits: [Misfit]
    }

    /// A record that is not as an event found it.
    public enum Misfit: Hashable, Sendable {
        /// It does not exist; its update or deletion is left out.
        case missing(entity: String, id: RecordID)
        /// It exists already, and is replaced by the inserted one.
        case exists(entity: String, id: RecordID)
        /// Fields have another value (`after`) than the event found (`before`). They get the value
        /// that it set, or the record is deleted.
        case differs(entity: String, id: RecordID, fields: [FieldChange])
        /// All records of an entity are deleted, and there are more or fewer than there were.
        case cleared(entity: String, count: Int, found: Int)
    }

    /// The records that differ: `before` is the record of the log, `after` that of the other
    /// course, both as today's type would write them.
    ///
    /// - Parameter entity: nil for the records of all entities.
    /// - Complexity: O(records that were changed after the first edit), with decoding of those
    ///   that are stored in different ways.
    public func differences(in entity: String? = nil) -> [RecordDifference] {
        state.differences(from: actual, in: entity).compactMap { difference in
            let (entity, id) = (difference.entity, difference.id)
            let rows = [actual, state].map { $0.table(entity)?.row(id) }
            return state.recordDifference(of: entity, id, from: rows[0], to: rows[1])
        }
    }
}

extension WhatIfOutcome: CustomStringConvertible {
    /// The number of differences and problems, and the first of each.
    public var description: String {
        let differences = differences()
        var lines = [
            "Records that differ after event \(actual.sequence): \(differences.count)"
        ]
        for difference in differences.prefix(Self.shownMax) {
            lines.append("  \(difference.kind) \(difference.entity) \(difference.id)")
            lines += ((try? difference.changes) ?? []).map { "    \($0)" }
        }
        if differences.count > Self.shownMax {
            lines.append("  and \(differences.count - Self.shownMax) more")
        }
        if problemCount > 0 {
            lines.append("Events that could not be followed as they are: \(problemCount)")
            lines += problems.prefix(Self.shownMax).map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    private static let shownMax = 10
}

extension WhatIfOutcome.Problem: CustomStringConvertible {
    /// The event, and what does not fit.
    public var description: String {
        let place = event == nil ? "the block after event \(sequence)" : "event \(sequence)"
        if let error { return "\(place): \(error)" }
        return "\(place): " + misfits.map(\.description).joined(separator: "; ")
    }
}

extension WhatIfOutcome.Misfit: CustomStringConvertible {
    /// The record, and how it is otherwise.
    public var description: String {
        switch self {
        case .missing(let entity, let id): return "there is no \(entity) \(id)"
        case .cleared(let entity, let count, let found):
            return "\(entity) has \(found) records, and had \(count) when all were deleted"
        case .exists(let entity, let id): return "\(entity) \(id) exists already"
        case .differs(let entity, let id, let fields):
            let texts = fields.map { field in
                let values = [field.after, field.before].map { $0?.readableText() ?? "–" }
                return "\(field.field) is \(values[0]), and was \(values[1])"
            }
            return "\(entity) \(id): " + texts.joined(separator: ", ")
        }
    }
}
