// The keys of rows: of records of an older shape, those that the steps make of them.

extension IndexDefinition {
    /// The fields of a row as the index sees them; nil if the steps fail.
    func bytes(of row: Row) -> [UInt8]? {
        guard let evolver, row.version < lastTouch else { return row.bytes }
        return try? row.bytes(evolvedBy: evolver, entity)
    }

    /// Whether the steps to the fields of a row succeed. O(1) if the index needs none.
    func canRead(_ row: Row) -> Bool {
        evolver == nil || row.version >= lastTouch || bytes(of: row) != nil
    }

    /// The key of a row, and whether its values are those that today's type writes. O(size of the
    /// record), and the steps the first time.
    ///
    /// A record whose steps fail counts as one with unexpected values: no query uses the index
    /// while there is one, so that its reader gets the error.
    func checkedKey(of row: Row) throws(CBORError) -> IndexKey.Checked {
        if let bytes = bytes(of: row) { return try checkedKey(of: bytes) }
        let key = try checkedKey(of: row.bytes)
        return IndexKey.Checked(
            key: key.key, isExpected: false, isRegular: key.isRegular, isComplete: key.isComplete,
            hasFailed: true)
    }

    /// The keys of the elements of a row's list, each once, in ascending order; of the stored
    /// list if the steps fail. O(size of the record), and the steps the first time.
    func elementKeys(of row: Row) throws(CBORError) -> [ByteString] {
        try elementKeys(of: bytes(of: row) ?? row.bytes)
    }

    /// Calls `body` with each key that the index has of a row.
    func forEachKey(
        of row: Row, _ body: (ByteString) throws(CBORError) -> Void
    ) throws(CBORError) {
        guard isMultiValued else { return try body(checkedKey(of: row).key) }
        for key in try elementKeys(of: row) { try body(key) }
    }

    /// The key of the values that are read from a row; nil if one of them is nil.
    func currentKey(of row: Row) throws(CBORError) -> ByteString? {
        try bytes(of: row).flatMap { bytes throws(CBORError) in try currentKey(of: bytes) }
    }
}
