import Synchronization

/// Persists snapshots: only what was touched since the last time, in one transaction with the
/// position (promise P7).
///
/// This stage is responsible for: which rows to write. It is not responsible for: when to do
/// it, and that the log is durable up to the snapshot's event.
final class Checkpointer: Sendable {
    private let path: String
    private let storeID: [UInt8]
    /// Nil until it is needed, and after closing.
    private let database: Mutex<CheckpointDatabase?>
    private let written: Mutex<SequenceNumber?>

    /// - Parameter database: the open checkpoint; nil if there is none yet.
    init(path: String, storeID: [UInt8], database: sending CheckpointDatabase?) throws {
        self.path = path
        self.storeID = storeID
        written = Mutex(try database?.meta().map { SequenceNumber(rawValue: $0.position.sequence) })
        self.database = Mutex(database)
    }

    /// The event through which the checkpoint reaches; nil if there is none.
    var sequence: SequenceNumber? { written.withLock { $0 } }

    /// Brings the checkpoint to the state of `snapshot`.
    ///
    /// - Parameter touched: all rows that differ from what the checkpoint holds.
    /// - Throws: `CheckpointError`; the checkpoint is then as it was before.
    func write(_ snapshot: Snapshot, _ touched: TouchedRows) throws {
        let batch = try Self.batch(snapshot, touched)
        let position = CheckpointPosition(
            storeID: storeID, sequence: snapshot.sequence.rawValue,
            runningCheck: snapshot.check.rawValue,
            timeMicroseconds: snapshot.time.microseconds)
        try database.withLock { database in
            let open = try database ?? CheckpointDatabase(path: path)
            database = open
            try open.write(batch, at: position)
        }
        written.withLock { $0 = snapshot.sequence }
    }

    func close() throws {
        try database.withLock { database in
            try database?.close()
            database = nil
        }
    }

    private static func batch(
        _ snapshot: Snapshot, _ touched: TouchedRows
    ) throws -> CheckpointBatch {
        let changes = touched.entities.sorted { $0.key < $1.key }.map { entity, rows in
            let table = snapshot.table(entity)
            var upserts: [Row] = []
            var deletions: [Int64] = []
            for (number, id) in rows.ids {
                if let row = table?.row(id), row.number == number {
                    upserts.append(row)
                } else {
                    deletions.append(Int64(number))
                }
            }
            upserts.sort { $0.number < $1.number }
            deletions.sort()
            return CheckpointBatch.EntityChanges(
                entity: entity, isCleared: rows.isCleared, deletions: deletions
            ) { consume in
                for row in upserts { try row.give(to: consume) }
            }
        }
        return CheckpointBatch(changes)
    }
}

extension Row {
    /// Hands the row to a checkpoint's writer.
    fileprivate func give(
        to consume: CheckpointBatch.EntityChanges.RowConsumer
    ) throws {
        let record = try encoded()
        try id.bytes.withUnsafeBytes { id in
            try record.withUnsafeBytes { try consume(Int64(number), id, $0) }
        }
    }
}
