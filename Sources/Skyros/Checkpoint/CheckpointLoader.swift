import SkyrosDisk

/// Loads a checkpoint: the calling thread reads and checks the rows, another thread adds them to
/// tables and indexes.
enum CheckpointLoader {
    /// The snapshot that `database` holds, every row checked against the digests; nil if it
    /// holds none.
    ///
    /// A record stays encoded until it is first read.
    ///
    /// - Parameters:
    ///   - eventCount: the number of events that will be folded into it.
    ///   - progress: called now and then with the number of rows read.
    ///   - keys: called with every event of an idempotency key.
    ///   - projections: called with every projection.
    /// - Throws: `CheckpointError`.
    static func load(
        _ database: CheckpointDatabase, into empty: Snapshot, beforeEvents eventCount: Int = 0,
        progress: (Int) -> Void = { _ in }, keys: (KeyedEvent) -> Void = { _ in },
        projections: (StoredProjection) -> Void = { _ in }
    ) throws -> Snapshot? {
        guard let description = try database.description() else { return nil }
        var prepared = empty
        let rowCounts = description.layout.entities.map { ($0.name, $0.digest.rowCount) }
        prepared.beginLoading(rowCounts: rowCounts, beforeEvents: eventCount)
        let snapshot = Locked(prepared)
        var pipeline = BoundedPipeline<LoadedRows> { rows in
            try snapshot.withLock { try add(rows, to: &$0) }
        }
        var rows = LoadedRows(in: empty, "")
        var rowCount = 0
        let result = Result {
            try database.load(keys: keys, projections: projections) { entity, row in
                if rows.isFull || !entity.isSameName(as: rows.entity) {
                    rowCount += rows.count
                    progress(rowCount)
                    if rows.count > 0 { try pipeline.send(rows) }
                    rows = LoadedRows(in: empty, entity)
                }
                try rows.append(row)
            }
        }
        // An error of the adding thread concerns an earlier row than one of this thread.
        let lastCount = rows.count
        try pipeline.finish(rows)
        progress(rowCount + lastCount)
        guard let loaded = try result.get() else { return nil }
        let (position, schemas) = (loaded.position, loaded.schemas)
        return snapshot.withLock { snapshot in
            snapshot.endLoading()
            snapshot.schemas = schemas
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
        for row in rows.rows {
            do {
                guard try snapshot.tables[index].load(row) == nil else {
                    throw rows.damage("two rows have the same id", Int64(row.number))
                }
            } catch let error as CBORError {
                throw rows.damage("a field cannot be indexed: \(error)", Int64(row.number))
            }
        }
    }
}

/// Some rows of one entity.
private struct LoadedRows: Sendable {
    let entity: String
    private(set) var rows: [Row] = []
    private var byteCount = 0
    /// Makes the rows.
    private let table: Table

    /// Large enough to make the cost of passing a batch negligible, small enough for the
    /// processor's cache.
    private static let bytesMax = 64 << 10

    /// Stores number rows from 1, so no store reaches this number. It leaves numbers for later
    /// rows.
    private static let numberLimit = Int64(Row.numberLimit / 2)

    init(in empty: Snapshot, _ entity: String) {
        self.entity = entity
        table =
            empty.table(entity)
            ?? Table(entity: entity, type: nil, hashSeed: empty.hashSeed, indexes: [])
    }

    var count: Int { rows.count }
    var isFull: Bool { byteCount >= Self.bytesMax }

    mutating func append(_ row: CheckpointRow) throws(CheckpointError) {
        guard (1..<Self.numberLimit).contains(row.number) else {
            throw damage("no store gives a row this number", row.number)
        }
        let id = RecordID(ByteString(row.id))
        rows.append(
            table.storedRow(
                id, hash: table.hash(id), number: UInt64(row.number), version: row.version,
                bytes: [UInt8](row.record)))
        byteCount += row.record.count
    }

    func damage(_ description: String, _ number: Int64) -> CheckpointError {
        .damage(description, entity: entity, row: number)
    }
}
