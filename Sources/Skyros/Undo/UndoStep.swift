/// A step of an ``UndoStack``: edits that are undone, or redone, together.
public struct UndoStep: Hashable, Sendable {
    /// The events to take back, oldest first: one event, or those of a group or of typing.
    public private(set) var events: [SequenceNumber]
    /// What to call the step in a menu: the reason of its first event; without one, the name of its
    /// domain command, or what it did to which entity.
    public let name: String
    /// When the last of its events was written.
    public private(set) var time: EventTime

    /// The correlation of a group, in UTF-8: bytes decide whether two are the same.
    let correlation: [UInt8]?
    /// What a further event must change to be one step with this one.
    let typing: Typing?

    /// An update of some fields of one record.
    struct Typing: Hashable {
        let entity: [UInt8]
        let id: RecordID
        /// Their names in UTF-8.
        let fields: [[UInt8]]
    }
}

extension UndoStep {
    /// The step of an event.
    init(_ event: Event, named name: String? = nil, isEdit: Bool) {
        events = [event.sequence]
        self.name = name ?? Self.name(of: event)
        time = event.time
        correlation = isEdit ? event.metadata.correlation.map { Array($0.utf8) } : nil
        typing = isEdit ? Typing(event) : nil
    }

    /// Adds a further event. O(1) on average.
    mutating func add(_ event: Event) {
        events.append(event.sequence)
        time = event.time
    }

    /// The ranges of its events.
    var ranges: [ClosedRange<SequenceNumber>] { events.ranges }

    private static func name(of event: Event) -> String {
        if let name = event.undo?.name { return name }
        if let reason = event.metadata.reason { return reason }
        if let intent = event.intent, event.undo == nil { return intent.name }
        return switch event.changes.first {
        case .inserted(let record): "Insert \(record.entity)"
        case .updated(let entity, _, _, _): "Change \(entity)"
        case .deleted(let record): "Delete \(record.entity)"
        case .cleared(let entity, _): "Delete all \(entity)"
        case nil: "Change"
        }
    }
}

extension UndoStep.Typing {
    /// What an event changes, if that is some fields of one record.
    fileprivate init?(_ event: Event) {
        guard event.changes.count == 1,
            case .updated(let entity, let id, let before, let after) = event.changes[0],
            let names = try? Fields.uniting(after.bytes, with: before.bytes)
        else { return nil }
        self.entity = Array(entity.utf8)
        self.id = id
        fields = Fields(trusted: names).names.map { Array($0.utf8) }
    }
}
