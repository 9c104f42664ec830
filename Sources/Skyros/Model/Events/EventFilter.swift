public import Foundation

/// Which events a question about the log is about: by whom, why, as part of what, of which records.
///
///     let audit = EventFilter(actor: "alice", tags: ["course": "c1"], entity: "Subscription")
///     for try await event in store.events(where: audit, newestFirst: true) { … }
///
/// An event must have all that the filter names. Texts are compared as they were stored, byte by
/// byte, but for the reason, of which a part is enough.
public struct EventFilter: Hashable, Sendable {
    /// The event's actor.
    public var actor: String?
    /// A part of the event's reason.
    public var reason: String?
    /// The event's correlation.
    public var correlation: String?
    /// The event's causation.
    public var causation: String?
    /// The name of the event's intent.
    public var intent: String?
    /// The event's idempotency key.
    public var key: String?
    /// The event's tags, each with its value; nil for any value.
    public var tags: [String: String?]
    /// An entity of which the event changes a record.
    public var entity: String?
    /// Records of which the event changes one, of `entity` if that is named; empty for all.
    public var ids: [RecordID]
    /// The earliest time of the event.
    public var since: EventTime?
    /// The latest time of the event.
    public var until: EventTime?
    /// The earliest time at which what the event records happened, see ``Event/happenedAt``.
    public var occurredSince: EventTime?
    /// The latest time at which that happened.
    public var occurredUntil: EventTime?
    /// Whether the event records the shape of an entity.
    var hasSchemas = false
    /// Whether a date is not a number: a search throws then.
    private let hasInvalidDate: Bool

    /// A filter with these parts; that without any is passed by all events.
    public init(
        actor: String? = nil, reason: String? = nil, correlation: String? = nil,
        causation: String? = nil, intent: String? = nil, key: String? = nil,
        tags: [String: String?] = [:],
        entity: String? = nil, ids: [RecordID] = [], since: Date? = nil, until: Date? = nil,
        occurredSince: Date? = nil, occurredUntil: Date? = nil
    ) {
        self.actor = actor
        self.reason = reason
        self.correlation = correlation
        self.causation = causation
        self.intent = intent
        self.key = key
        self.tags = tags
        self.entity = entity
        self.ids = ids
        self.since = since.map { EventTime($0) }
        self.until = until.map { EventTime($0) }
        self.occurredSince = occurredSince.map { EventTime($0) }
        self.occurredUntil = occurredUntil.map { EventTime($0) }
        hasInvalidDate = [since, until, occurredSince, occurredUntil].contains { date in
            date?.timeIntervalSince1970.isNaN ?? false
        }
    }

    /// Throws `StoreError` with `.invalidInput` if a date is not a number.
    func checkDates() throws {
        guard hasInvalidDate else { return }
        throw StoreError(
            .invalidInput, "a date of the filter is not a number; compute it anew")
    }

    /// A filter for the events that change a record of a type.
    ///
    ///     let audit = try EventFilter(changing: Order.self, order.id)
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the id cannot be one.
    public init<E: Entity>(changing type: E.Type, _ id: E.ID) throws {
        self.init(entity: E.entityName, ids: [try RecordCoding.id(id, of: type)])
    }

    /// Whether an event has all that the filter names.
    ///
    /// An event that clears an entity changes the records that exist then: with `ids` it passes
    /// only a search, which knows them.
    public func matches(_ event: Event) -> Bool {
        hasMetadata(of: event) && hasChange(of: event)
    }

    func hasMetadata(of event: Event) -> Bool {
        let metadata = event.metadata
        guard Self.isEqual(actor, metadata.actor), Self.isEqual(correlation, metadata.correlation),
            Self.isEqual(causation, metadata.causation), Self.isEqual(intent, event.intent?.name),
            Self.isEqual(key, event.key),
            since.map({ event.time >= $0 }) ?? true, until.map({ event.time <= $0 }) ?? true,
            occurredSince.map({ event.happenedAt >= $0 }) ?? true,
            occurredUntil.map({ event.happenedAt <= $0 }) ?? true,
            !hasSchemas || !event.schemas.isEmpty
        else { return false }
        if let reason, metadata.reason?.contains(reason) != true { return false }
        return tags.allSatisfy { name, value in
            metadata.tags[name].map { value == nil || Self.isEqual(value, $0) } ?? false
        }
    }

    private func hasChange(of event: Event) -> Bool {
        if entity == nil, ids.isEmpty { return true }
        return event.changes.contains { change in
            (entity.map { change.entity.isSameName(as: $0) } ?? true)
                && (ids.isEmpty || change.id.map { ids.contains($0) } ?? false)
        }
    }

    private static func isEqual(_ wanted: String?, _ text: String?) -> Bool {
        guard let wanted else { return true }
        return text?.isSameName(as: wanted) ?? false
    }
}
