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
            let id = RecordID(ByteString(loaded.id))
            let bytes = [UInt8](loaded.record)
            let row = snapshot.tables[index].storedRow(
                id, hash: snapshot.tables[index].hash(id), number: UInt64(loaded.number),
                bytes: bytes)
            try snapshot.tables[index].put(row, before: nil, after: bytes)
        }
        guard let position = meta?.position else { return nil }
        snapshot.move(
            to: SequenceNumber(rawValue: position.sequence),
            time: EventTime(microseconds: position.timeMicroseconds),
            rawCheck: position.runningCheck)
        return snapshot
    }
}
