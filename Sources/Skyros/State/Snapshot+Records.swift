extension Snapshot {
    /// The record with this id as its fields, without its Swift type; nil if there is none.
    /// O(log n).
    ///
    /// - Throws: `StoreError` with `.notEncodable` if a value that this process wrote can no
    ///   longer be encoded.
    public func record(_ entity: String, _ id: RecordID) throws -> Record? {
        try table(entity)?.row(id).map { row in
            Record(entity: entity, id: id, fields: Fields(trusted: try row.encoded()))
        }
    }

    /// All records of an entity in the order of their ids. O(n log n).
    ///
    /// - Throws: `StoreError` with `.notEncodable` if a value that this process wrote can no
    ///   longer be encoded.
    public func records(_ entity: String) throws -> [Record] {
        try table(entity)?.sortedRows().map { row in
            Record(entity: entity, id: row.id, fields: Fields(trusted: try row.encoded()))
        } ?? []
    }
}
