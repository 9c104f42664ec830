/// Brings a checkpoint's rows into memory.
enum CheckpointLoader {
    /// The snapshot that `database` holds, every row checked against the digest; nil if it
    /// holds none.
    ///
    /// Rows stay encoded until somebody reads them.
    ///
    /// - Throws: `CheckpointError`.
    static func load(
        _ database: CheckpointDatabase, into empty: Snapshot
    ) throws -> Snapshot? {
        var snapshot = empty
        let meta = try database.load { loaded in
            let index = snapshot.tableIndex(of: loaded.entity)
            guard loaded.number > 0 else { throw damage("a row has a number below 1", loaded) }
            let id = RecordID(ByteString(loaded.id))
            let bytes = [UInt8](loaded.record)
            let row = snapshot.tables[index].storedRow(
                id, hash: snapshot.tables[index].hash(id), number: UInt64(loaded.number),
                bytes: bytes)
            let other = try snapshot.tables[index].put(row, before: nil, after: bytes)
            guard other == nil else { throw damage("two rows have the same id", loaded) }
        }
        guard let position = meta?.position else { return nil }
        snapshot.move(
            to: SequenceNumber(rawValue: position.sequence),
            time: EventTime(microseconds: position.timeMicroseconds),
            rawCheck: position.runningCheck)
        return snapshot
    }

    private static func damage(_ description: String, _ row: LoadedRow) -> CheckpointError {
        .damage(description, entity: row.entity, row: row.number)
    }
}
