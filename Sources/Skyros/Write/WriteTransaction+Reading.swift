extension WriteTransaction: RecordSource {
    /// The state with the block's own changes.
    ///
    /// - Complexity: O(records touched) for the first query after a change, O(1) after that.
    public var snapshot: Snapshot {
        get throws {
            try checkBlock()
            return try overlay.snapshot()
        }
    }

    /// The record with this id as the block sees it, or nil. O(log n).
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E? {
        let index = try index(of: type)
        return try overlay.lookUp(RecordCoding.id(id, of: type), in: index).row?.value(as: type)
    }

    /// The row with this id as the block sees it.
    func row<E: Entity>(of type: E.Type, _ id: E.ID) throws -> Row? {
        let index = try index(of: type)
        return overlay.lookUp(try RecordCoding.id(id, of: type), in: index).row
    }

    /// The record with this id as the block sees it, or nil: as `get`.
    public subscript<E: Entity>(type: E.Type, id: E.ID) -> E? {
        get throws { try get(type, id) }
    }

    /// Whether there is a record with this id, as the block sees it. O(log n).
    public func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        let index = try index(of: type)
        return overlay.lookUp(try RecordCoding.id(id, of: type), in: index).row != nil
    }
}
