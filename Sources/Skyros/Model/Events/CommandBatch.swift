/// The net effect of one write block, record by record, ready to be appended.
///
/// Not copyable, because copying its parts for each commit takes longer than appending it.
struct CommandBatch: ~Copyable, Sendable {
    let metadata: Metadata
    let intent: Intent?
    /// The idempotency key of the event.
    var key: IdempotencyKey?
    private(set) var changes: [StagedChange] = []
    /// What the event records of the shapes of entities.
    var schemas = NamedValues<EntitySchema>()

    /// Whether the block leaves no event: it changed nothing, and has neither intent nor key.
    var isEmpty: Bool { changes.isEmpty && intent == nil && key == nil }

    mutating func append(_ change: StagedChange) {
        changes.append(change)
    }
}
