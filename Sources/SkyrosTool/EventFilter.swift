import Skyros

/// The events that `skyros log` lists.
struct EventFilter {
    private let entity: String?
    private let actor: String?
    private let reason: String?
    private let correlation: String?
    private let causation: String?
    private let intent: String?
    /// Names with the values that they must have; nil for any value.
    private let tags: [(name: String, value: String?)]
    /// Filters by `--id`. It must see every change from the first event on.
    private var watch: RecordWatch?
    /// Whether an event that was seen changes records of the entity.
    private(set) var hasSeenEntity = false
    /// Whether a change that was seen is of a record with the id.
    private(set) var hasSeenID = false

    static let options: Set<String> = [
        "entity", "id", "actor", "reason", "correlation", "causation", "intent", "tag",
    ]

    init(_ arguments: Arguments) throws {
        entity = arguments.text("entity")
        actor = arguments.text("actor")
        reason = arguments.text("reason")
        correlation = arguments.text("correlation")
        causation = arguments.text("causation")
        intent = arguments.text("intent")
        tags = arguments.texts("tag").map { word in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
        }
        watch = try arguments.text("id").map { RecordWatch(try RecordFinder($0).candidates) }
    }

    /// Whether it must see every event from the first one on.
    var needsAllEvents: Bool { watch != nil }

    /// Processes an event; returns whether it passes.
    mutating func passes(_ event: Event) -> Bool {
        let hasChange = hasChange(event)
        let metadata = event.metadata
        guard hasChange, actor == nil || metadata.actor == actor,
            correlation == nil || metadata.correlation == correlation,
            causation == nil || metadata.causation == causation,
            intent == nil || event.intent?.name == intent
        else { return false }
        if let reason, metadata.reason?.contains(reason) != true { return false }
        return tags.allSatisfy { name, value in
            metadata.tags[name].map { value == nil || $0 == value } ?? false
        }
    }

    /// Whether a change of the event is of the entity and of the record.
    private mutating func hasChange(_ event: Event) -> Bool {
        guard entity != nil || watch != nil else { return true }
        var isFound = false
        for change in event.changes {
            let isWatched = watch?.note(change) ?? true
            let isOfEntity = entity.map { change.entity.isSameName(as: $0) } ?? true
            if isOfEntity { hasSeenEntity = true }
            if isWatched, isOfEntity {
                hasSeenID = true
                isFound = true
            }
        }
        return isFound
    }
}
