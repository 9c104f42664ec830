extension Table {
    /// The fields of a row as today's type would write them: in the newest shape, with the fields
    /// that the type adds, and with those that it does not know.
    ///
    /// Without a type, the steps run that the log has recorded. Where code is missing or fails, the
    /// fields are as they are stored.
    ///
    /// - Complexity: O(n), with decoding and encoding.
    func newestBytes(of row: Row) -> [UInt8] {
        func written<E: Entity>(as type: E.Type) throws -> [UInt8] {
            let bytes = try RecordCoding.encode(row.value(as: type))
            return try row.keepingUnknownFields(in: bytes, as: type)
        }
        if let type, let bytes = try? written(as: type) { return bytes }
        return (try? evolvedBytes(of: row)) ?? row.bytes
    }

    /// The fields of a row in the newest shape that the type, or else the log, knows.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func evolvedBytes(of row: Row) throws -> [UInt8] {
        guard let evolver = newestEvolver else { return row.bytes }
        return try row.bytes(evolvedBy: evolver, entity)
    }

    /// The steps of the type, or else those that the log has recorded.
    var newestEvolver: Evolver? { evolver ?? recorded?.evolver }
}
