/// A range of the keys of one index: the records that a live query may hold.
struct KeyRange: Sendable {
    /// The position of the index in its table.
    let index: Int
    let definition: IndexDefinition
    /// Keys from this one on, this one included; the empty key is the smallest.
    let lower: ByteString
    /// Keys up to this one, this one not included; nil to the last.
    let upper: ByteString?
    /// Whether the plan could rely on the order of the keys, not only on their equality.
    let needsOrder: Bool

    func contains(_ key: ByteString) -> Bool {
        lower <= key && (upper.map { key < $0 } ?? true)
    }
}

extension KeyRange {
    /// The range of a plan; nil if the plan reads a whole table or a whole index.
    init?(_ plan: QueryPlan, of table: borrowing Table) {
        guard let range = plan.range, range.lower != nil || range.upper != nil else { return nil }
        index = range.index
        definition = table.indexes[range.index].definition
        lower = range.lower ?? ByteString([])
        upper = range.upper
        needsOrder = table.indexes[range.index].isOrdered
    }
}
