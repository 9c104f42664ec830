extension WriteTransaction: RecordSource {
    /// The state with the block's own changes.
    ///
    /// - Complexity: O(records touched) for the first query after a change, O(1) after that.
    public var snapshot: Snapshot {
        get throws { try staging.snapshot() }
    }

    /// The record with this id as the block sees it, or nil. O(log n).
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E? {
        let index = try staging.index(of: type)
        return try staging.find(RecordCoding.id(id, of: type), in: index).row?.value(as: type)
    }

    /// Whether there is a record with this id, as the block sees it. O(log n).
    public func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        let index = try staging.index(of: type)
        return staging.find(try RecordCoding.id(id, of: type), in: index).row != nil
    }
}
