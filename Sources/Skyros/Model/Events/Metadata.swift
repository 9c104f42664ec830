public import Foundation

/// The description of an event besides its changes: actor, reason, correlation, tags, and when it
/// happened.
public struct Metadata: Hashable, Sendable {
    /// The originator: a user's name, a service, a job.
    public var actor: String?
    /// The reason, in words.
    public var reason: String?
    /// The larger operation that the event belongs to, such as a request's id.
    public var correlation: String?
    /// The cause of the event, such as the id of another event or message.
    public var causation: String?
    /// When it happened, if that is not when it was recorded: an import and a correction know
    /// another time than that of the event. It orders nothing, and may be in any order.
    ///
    ///     Metadata(occurredAt: invoice.date)
    public var occurredAt: EventTime?
    /// Further data of the app.
    public var tags: NamedValues<String>

    /// Metadata with these parts; omitted parts may come from the context.
    public init(
        actor: String? = nil, reason: String? = nil, correlation: String? = nil,
        causation: String? = nil, occurredAt: Date? = nil, tags: [String: String] = [:]
    ) {
        self.actor = actor
        self.reason = reason
        self.correlation = correlation
        self.causation = causation
        self.occurredAt = occurredAt.map { EventTime($0) }
        self.tags = NamedValues(tags)
    }

    /// Metadata that flows with the current task, see `Store.withMetadata`.
    @TaskLocal static var current: Metadata?

    /// This metadata, with missing parts from `other`.
    func completed(by other: Metadata?) -> Metadata {
        guard let other else { return self }
        var metadata = Metadata(
            actor: actor ?? other.actor,
            reason: reason ?? other.reason,
            correlation: correlation ?? other.correlation,
            causation: causation ?? other.causation)
        metadata.occurredAt = occurredAt ?? other.occurredAt
        metadata.tags = other.tags.merging(tags) { _, own in own }
        return metadata
    }
}
