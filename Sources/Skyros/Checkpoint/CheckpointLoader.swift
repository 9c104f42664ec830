import SkyrosDisk

/// Brings a checkpoint's rows into memory: the calling thread reads and checks them, another thread
/// adds them to tables.
enum CheckpointLoader {
    /// The snapshot that `database` holds, every row checked against the digest; nil if it
    /// holds none.
    ///
    /// A record stays encoded until its first reader.
    ///
    /// - Throws: `CheckpointError`.
    static func load(
        _ database: CheckpointDatabase, into empty: Snapshot
    ) throws -> Snapshot? {
        let snapshot = Locked(empty)
        var pipeline = BoundedPipeline<LoadedRows> { rows in
            try snapshot.withLock { try add(rows, to: &$0) }
        }
        var rows = LoadedRows(entity: "")
        let meta = Result {
            try database.load { entity, row in
                if entity != rows.entity || rows.isFull {
                    if rows.count > 0 { try pipeline.send(rows) }
                    rows = LoadedRows(entity: entity)
                }
                rows.append(row)
            }
        }
        // An error of the adding thread concerns an earlier row than one of this thread.
        try pipeline.finish(rows)
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
            guard (1..<numberLimit).contains(row.number) else {
                throw damage("no store gives a row this number", row, rows.entity)
            }
            let id = RecordID(ByteString(row.id))
            let bytes = [UInt8](row.record)
            let stored = snapshot.tables[index].storedRow(
                id, hash: snapshot.tables[index].hash(id), number: UInt64(row.number),
                bytes: bytes)
            let other = try snapshot.tables[index].put(stored, before: nil, after: bytes)
            guard other == nil else {
                throw damage("two rows have the same id", row, rows.entity)
            }
        }
    }

    /// Numbers are given one after the other from 1, so no store reaches this one; all that
    /// follow it are below SQLite's largest.
    private static let numberLimit: Int64 = 1 << 62

    private static func damage(
        _ description: String, _ row: CheckpointRow, _ entity: String
    ) -> CheckpointError {
        .damage(description, entity: entity, row: row.number)
    }
}

/// Some rows of one entity, one after the other in one array.
private struct LoadedRows: Sendable {
    private struct Item: Sendable {
        let number: Int64
        let sequence: UInt64
        let id: Range<Int>
        let record: Range<Int>
    }

    let entity: String
    private var bytes: [UInt8] = []
    private var items: [Item] = []

    /// Large enough that handing over costs next to nothing, small enough for the processor's
    /// cache.
    private static let bytesMax = 64 << 10

    init(entity: String) {
        self.entity = entity
        bytes.reserveCapacity(Self.bytesMax)
    }

    var count: Int { items.count }
    var isFull: Bool { bytes.count >= Self.bytesMax }

    mutating func append(_ row: CheckpointRow) {
        let start = bytes.count
        bytes.append(contentsOf: row.record)
        let record = start..<bytes.count
        let item = { (id: Range<Int>) in
            Item(number: row.number, sequence: row.sequence, id: id, record: record)
        }
        // As a rule the id is a part of the record.
        if let own = row.record.offset(of: row.id) {
            items.append(item(start + own..<start + own + row.id.count))
        } else {
            bytes.append(contentsOf: row.id)
            items.append(item(record.upperBound..<bytes.count))
        }
    }

    func forEach(_ body: (CheckpointRow) throws -> Void) throws {
        try bytes.withUnsafeBytes { bytes in
            for item in items {
                try body(
                    CheckpointRow(
                        number: item.number, sequence: item.sequence,
                        id: UnsafeRawBufferPointer(rebasing: bytes[item.id]),
                        record: UnsafeRawBufferPointer(rebasing: bytes[item.record])))
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of `part` in this buffer, if it is a part of the same memory.
    fileprivate func offset(of part: UnsafeRawBufferPointer) -> Int? {
        guard let start = baseAddress, let partStart = part.baseAddress else { return nil }
        let offset = partStart - start
        return offset >= 0 && offset + part.count <= count ? offset : nil
    }
}
