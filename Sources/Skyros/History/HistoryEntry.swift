/// One event in the life of one record: who, when, why, and what was before and after.
public struct HistoryEntry: Hashable, Sendable {
    /// What happened to the record.
    public enum Kind: String, Hashable, Sendable {
        /// The record came into being.
        case inserted
        /// Some of its fields changed.
        case updated
        /// The record went away.
        case deleted
        /// Deleted together with all other records of its entity.
        case cleared
    }

    /// What happened to the record.
    public let kind: Kind
    /// The event's place in the log.
    public let sequence: SequenceNumber
    /// When it was.
    public let time: EventTime
    /// Who, why, and what it belongs to.
    public let metadata: Metadata
    /// What was asked for, if the write block said so.
    public let intent: Intent?
    /// The fields that changed, in canonical order: all fields if the record came or went, none
    /// if it was `cleared`, which an event says without the fields.
    public let changes: [FieldChange]

    /// Who did it.
    public var actor: String? { metadata.actor }

    /// Why.
    public var reason: String? { metadata.reason }
}

/// What an event did to one field.
public struct FieldChange: Hashable, Sendable, CustomStringConvertible {
    /// The field's name.
    public let field: String
    /// The value before; nil if the field was not there.
    public let before: FieldValue?
    /// The value after; nil if the field is not there any more.
    public let after: FieldValue?

    /// `name: "Nonna" → "Da Nonna"`.
    public var description: String {
        let texts = [before, after].map { $0?.jsonText() ?? "–" }
        return "\(field): \(texts[0]) → \(texts[1])"
    }
}

extension FieldChange {
    /// The changes between two sets of fields, in canonical order.
    public static func list(before: Fields, after: Fields) throws -> [FieldChange] {
        let oldValues = try before.dictionary
        let newValues = try after.dictionary
        let names = Set(oldValues.keys).union(newValues.keys)
        return names.sorted { Fields.precedes($0, $1) }.map { name in
            FieldChange(field: name, before: oldValues[name], after: newValues[name])
        }
    }
}
