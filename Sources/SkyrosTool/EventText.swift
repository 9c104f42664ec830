import Foundation
import Skyros

/// Formats events as JSON and as text.
enum EventText {
    /// The stable JSON form; see the command-line contract in docs/mapping.md.
    static func json(_ event: Event) throws -> NamedValues<FieldValue?> {
        var object = try about(event)
        object["changes"] = .array(
            try event.changes.enumerated().map { index, change in
                let additions = try about(event, change: index)
                return .map(try json(change).merging(additions) { $1 })
            })
        return object
    }

    /// All members of an event but its changes.
    static func about(_ event: Event) throws -> NamedValues<FieldValue?> {
        var object = try head(event.sequence, event.time, event.metadata, intent: event.intent)
        object["key"] = event.key.map { .text($0) }
        if !event.schemas.isEmpty {
            object["schema"] = .map(event.schemas.mapValues { (try? $0.value) ?? .null })
        }
        for (key, value) in try event.additions.value.map ?? [:] { object[key] = value }
        return object
    }

    /// The versions of a change's record, and what a later version has added to the change.
    static func about(_ event: Event, change index: Int) throws -> NamedValues<FieldValue> {
        var object = NamedValues<FieldValue>()
        let version = event.version(ofChange: index)
        if version > 1 { object["version"] = .integer(Int128(version)) }
        if let former = event.formerVersions[index] {
            object["formerVersion"] = .integer(Int128(former))
        }
        return object.merging(try event.additions(toChange: index).value.map ?? [:]) { $1 }
    }

    /// The JSON members of an event without its changes.
    static func head(
        _ sequence: SequenceNumber, _ time: EventTime, _ metadata: Metadata, intent: Intent?
    ) throws -> NamedValues<FieldValue?> {
        [
            "sequence": .integer(Int128(sequence.rawValue)),
            "time": .text(time.description),
            "actor": metadata.actor.map { .text($0) },
            "reason": metadata.reason.map { .text($0) },
            "correlation": metadata.correlation.map { .text($0) },
            "causation": metadata.causation.map { .text($0) },
            "occurredAt": metadata.occurredAt.map { .text($0.description) },
            "tags": metadata.tags.isEmpty ? nil : .map(metadata.tags.mapValues { .text($0) }),
            "intent": try intent.map { try json($0) },
        ]
    }

    private static func json(_ intent: Intent) throws -> FieldValue {
        var object: NamedValues<FieldValue> = [
            "name": .text(intent.name), "value": try intent.value,
        ]
        if intent.version > 1 { object["version"] = .integer(Int128(intent.version)) }
        object["result"] = try intent.output
        if !intent.ids.isEmpty { object["ids"] = .array(intent.ids.map { .uuid($0) }) }
        return .map(object.merging(try intent.additions.value.map ?? [:]) { $1 })
    }

    static func json(_ change: Change) throws -> NamedValues<FieldValue> {
        var object: NamedValues<FieldValue> = ["entity": .text(change.entity)]
        object["id"] = change.id?.value
        switch change {
        case .inserted(let record):
            object["kind"] = .text("inserted")
            object["after"] = try record.fields.value
        case .updated(_, _, let before, let after):
            object["kind"] = .text("updated")
            object["before"] = try before.value
            object["after"] = try after.value
        case .deleted(let record):
            object["kind"] = .text("deleted")
            object["before"] = try record.fields.value
        case .cleared(_, let count):
            object["kind"] = .text("cleared")
            object["count"] = .integer(Int128(count))
        }
        return object
    }

    static func json(_ difference: RecordDifference) throws -> NamedValues<FieldValue?> {
        var object: NamedValues<FieldValue?> = [
            "entity": .text(difference.entity), "id": difference.id.value,
            "kind": .text("\(difference.kind)"),
        ]
        add(try difference.changes, to: &object)
        return object
    }

    /// One line for the record, and one per field that differs.
    static func lines(_ difference: RecordDifference) throws -> [String] {
        let sign =
            switch difference.kind {
            case .inserted: "+"
            case .updated: "~"
            case .deleted: "-"
            }
        return try ["\(sign) \(difference.entity) \(difference.id)"]
            + difference.changes.map { "    \($0)" }
    }

    /// One line for the event, and one per change.
    static func lines(_ event: Event) throws -> [String] {
        var head = "\(event.sequence)  \(event.time)  \(event.metadata.actor ?? "-")"
        if let reason = event.metadata.reason { head += "  \"\(reason)\"" }
        head += Self.details(event.metadata)
        if let key = event.key { head += "  once \(FieldValue.text(key).jsonText())" }
        if let intent = event.intent {
            head += "  \(intent.name) \(try intent.value.readableText())"
            if let output = try intent.output { head += " = \(output.readableText())" }
            head += try text(intent.additions)
        }
        for (entity, schema) in event.schemas where schema.version > 1 {
            head += "  \(entity) version \(schema.version)"
        }
        head += try text(event.additions)
        return try [head]
            + event.changes.enumerated().map { index, change in
                try "    " + line(change) + text(event.additions(toChange: index))
            }
    }

    /// What a later version has added, as text that begins with spaces.
    private static func text(_ additions: Fields) throws -> String {
        try (additions.value.map ?? [:]).sorted(byName: \.key)
            .map { "  \($0)=\($1.readableText())" }.joined()
    }

    /// Reason, further metadata and the intent's name of a change, as text that begins with spaces.
    static func about(_ entry: HistoryEntry) -> String {
        let reason = entry.reason.map { "  \"\($0)\"" } ?? ""
        return reason + details(entry.metadata) + (entry.intent.map { "  \($0.name)" } ?? "")
    }

    /// Adds the values before and after to an object of JSON.
    static func add(_ changes: [FieldChange], to object: inout NamedValues<FieldValue?>) {
        let before = changes.compactMap { change in change.before.map { (change.field, $0) } }
        let after = changes.compactMap { change in change.after.map { (change.field, $0) } }
        if !before.isEmpty { object["before"] = .map(NamedValues(before)) }
        if !after.isEmpty { object["after"] = .map(NamedValues(after)) }
    }

    /// What metadata say besides actor and reason, as text that begins with a space.
    static func details(_ metadata: Metadata) -> String {
        let parts = metadata.details
        return parts.isEmpty ? "" : "  " + parts.joined(separator: " ")
    }

    private static func line(_ change: Change) throws -> String {
        let place = "\(change.entity) \(change.id?.description ?? "")"
        switch change {
        case .inserted(let record): return "+ \(place)  \(try record.fields.value.readableText())"
        case .deleted(let record): return "- \(place)  \(try record.fields.value.readableText())"
        case .cleared(_, let count): return "- \(change.entity): all \(count) records"
        case .updated(_, _, let before, let after):
            let changes = try FieldChange.list(before: before, after: after)
            return "~ \(place)  " + changes.map(\.description).joined(separator: ", ")
        }
    }
}
