import SkyrosDisk

/// Brings a checkpoint's rows into memory: this thread reads them out of the file and checks them,
/// another one puts them into tables.
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
        let snapshot = Locked(empty)
        var relay = BoundedPipeline<LoadedRows> { rows in
            try snapshot.withLock { try add(rows, to: &$0) }
        }
        var rows = LoadedRows(entity: "")
        let meta = Result {
            try database.load { row in
                if row.entity != rows.entity || rows.isFull {
                    if rows.count > 0 { try relay.send(rows) }
                    rows = LoadedRows(entity: row.entity)
                }
                rows.append(row)
            }
        }
        // What is wrong with a row comes before what stopped the reading after it.
        try relay.finish(rows)
        guard let position = try meta.get()?.position else { return nil }
        return snapshot.withLock { snapshot in
            snapshot.move(
                to: SequenceNumber(rawValue: position.sequence),
                time: EventTime(microseconds: position.timeMicroseconds),
                rawChainHash: position.chainHash)
            return snapshot
        }
    }

    private static func add(_ rows: LoadedRows, to snapshot: inout Snapshot) throws {
        guard rows.count > 0 else { return }
        let index = snapshot.tableIndex(of: rows.entity)
        try rows.forEach { row in
            guard row.number > 0 else { throw damage("a row has a number below 1", row) }
            guard row.number < numberLimit else {
                throw damage("a row has a number that no store gives", row)
            }
            let id = RecordID(ByteString(row.id))
            let bytes = [UInt8](row.record)
            let stored = snapshot.tables[index].storedRow(
                id, hash: snapshot.tables[index].hash(id), number: UInt64(row.number),
                bytes: bytes)
            let other = try snapshot.tables[index].put(stored, before: nil, after: bytes)
            guard other == nil else { throw damage("two rows have the same id", row) }
        }
    }

    /// Numbers are given one after the other, so no store comes that far; and the rows that follow
    /// have room below the largest number of SQLite.
    private static let numberLimit: Int64 = 1 << 62

    private static func damage(_ description: String, _ row: LoadedRow) -> CheckpointError {
        .damage(description, entity: row.entity, row: row.number)
    }
}

/// Some rows of one entity, one behind the other in memory of their own.
private struct LoadedRows: Sendable {
    private struct Item: Sendable {
        let number: Int64
        let idCount: Int
        let recordCount: Int
    }

    let entity: String
    private var bytes: [UInt8] = []
    private var items: [Item] = []

    /// So that handing over costs next to nothing, and a batch stays in the processor's cache.
    private static let bytesMax = 64 << 10

    init(entity: String) {
        self.entity = entity
        bytes.reserveCapacity(Self.bytesMax)
    }

    var count: Int { items.count }
    var isFull: Bool { bytes.count >= Self.bytesMax }

    mutating func append(_ row: LoadedRow) {
        bytes.append(contentsOf: row.id)
        bytes.append(contentsOf: row.record)
        items.append(
            Item(number: row.number, idCount: row.id.count, recordCount: row.record.count))
    }

    func forEach(_ body: (LoadedRow) throws -> Void) throws {
        try bytes.withUnsafeBytes { bytes in
            var start = 0
            for item in items {
                let middle = start + item.idCount
                let end = middle + item.recordCount
                try body(
                    LoadedRow(
                        entity: entity, number: item.number,
                        id: UnsafeRawBufferPointer(rebasing: bytes[start..<middle]),
                        record: UnsafeRawBufferPointer(rebasing: bytes[middle..<end])))
                start = end
            }
        }
    }
}
