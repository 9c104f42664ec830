/// The arguments of a write, except the block.
struct WriteRequest: Sendable {
    let metadata: Metadata
    let intent: Intent?
    let durability: Durability
    var condition: WriteCondition?
    /// The idempotency key of a write that happens once.
    let key: IdempotencyKey?

    /// Completes the metadata; throws `.notEncodable` if the command cannot be encoded,
    /// `.invalidInput` if the key is no key, or a date no number.
    init(
        _ actor: String?, _ reason: String?, _ metadata: Metadata,
        _ intent: (any DomainCommand)?, _ durability: Durability,
        expecting condition: WriteCondition?, once key: String? = nil
    ) throws {
        var own = metadata
        if let actor { own.actor = actor }
        if let reason { own.reason = reason }
        self.metadata = own.completed(by: Metadata.current)
        // That is what a date becomes that is no number.
        if self.metadata.occurredAt?.microseconds == .min {
            throw StoreError(.invalidInput, "the date of occurredAt is no number, or too early")
        }
        self.intent = try intent.map { try Intent($0) }
        self.durability = durability
        self.condition = condition
        self.key = try key.map { try IdempotencyKey($0) }
    }
}
