/// What one write block asks for, ready to be appended: its net effect, record by record.
struct CommandBatch: Sendable {
    /// One record's change, and what the write block already has at hand of its result.
    struct Item: Sendable {
        let change: Change
        /// What the fold needs, so that it need not build it again; nil where there is nothing.
        let prepared: PreparedRow?
    }

    var metadata: Metadata
    var intent: Intent?
    var items: [Item]

    /// A block that changes nothing leaves no event.
    var isEmpty: Bool { items.isEmpty }

    var changes: [Change] { items.map(\.change) }
}
