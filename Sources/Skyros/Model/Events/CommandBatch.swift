/// The net effect of one write block, record by record, ready to be appended.
///
/// Not copyable, because copying its parts for each commit takes longer than appending it.
struct CommandBatch: ~Copyable, Sendable {
    let metadata: Metadata
    private(set) var intent: Intent?
    /// The idempotency key of the event.
    var key: IdempotencyKey?
    private(set) var changes: [StagedChange] = []
    /// What the event records of the shapes of entities.
    var schemas = NamedValues<EntitySchema>()
    /// What the clock said when the block asked for the time; nil if it did not.
    private(set) var nowMicroseconds: Int64?

    /// Whether the block leaves no event: it changed nothing, and has neither intent nor key.
    var isEmpty: Bool { changes.isEmpty && intent == nil && key == nil }

    init(metadata: Metadata, intent: Intent?) {
        self.metadata = metadata
        self.intent = intent
    }

    mutating func append(_ change: StagedChange) {
        changes.append(change)
    }

    /// Adds what the block has got from outside the store, and what its command has returned.
    mutating func add(_ now: Int64?, ids: [UInt8], output: [UInt8]?) {
        nowMicroseconds = now
        guard let output else { return }
        intent?.idBytes = ids
        intent?.encodedOutput = output
    }
}
