/// What one write block asks for, ready to be appended: its net effect, record by record.
///
/// There is one of each: copying its parts for every commit would take longer than appending it.
struct CommandBatch: ~Copyable, Sendable {
    let metadata: Metadata
    let intent: Intent?
    private(set) var changes: [Change] = []
    /// What the fold needs for each change, so that it need not build it again; nil where there
    /// is nothing at hand.
    private(set) var prepared: [StagedChange?] = []
    private var kept: [any Sendable] = []

    init(metadata: Metadata, intent: Intent?) {
        self.metadata = metadata
        self.intent = intent
    }

    /// A block that changes nothing leaves no event.
    var isEmpty: Bool { changes.isEmpty }

    mutating func append(_ change: Change, _ prepared: StagedChange?) {
        changes.append(change)
        self.prepared.append(prepared)
    }

    /// Keeps what the batch makes superfluous as long as the batch itself: the end of a value can
    /// run code of its own, which must not happen while readers wait.
    mutating func keep(_ value: some Sendable) {
        kept.append(value)
    }
}
