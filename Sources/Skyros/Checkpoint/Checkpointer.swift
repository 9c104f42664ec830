import SkyrosDisk
import SkyrosLog

/// Persists snapshots: only what was touched since the last time, in one transaction with the
/// position (promise P7).
///
/// This stage is responsible for: which rows to write. It is not responsible for: when to do
/// it, and that the log is durable up to the snapshot's event.
final class Checkpointer: Sendable {
    private let path: String
    private let storeID: [UInt8]
    private let isReadOnly: Bool
    /// Nil until it is needed, and after closing.
    private let database: Locked<CheckpointDatabase?>
    private let written = Locked<SequenceNumber?>(nil)

    /// - Parameter path: where the checkpoint is, or will be once there is something to write.
    init(path: String, storeID: [UInt8], readOnly: Bool = false) {
        self.path = path
        isReadOnly = readOnly
        self.storeID = storeID
        database = Locked(nil)
    }

    /// The event through which the checkpoint reaches, as far as it was read or written.
    var sequence: SequenceNumber? { written.withLock { $0 } }

    /// Where the checkpoint stands; nil if nothing was ever written.
    ///
    /// - Throws: `CheckpointError`.
    func position() throws -> CheckpointPosition? {
        try database.withLock { database in
            let open = try database ?? CheckpointDatabase(path: path, readOnly: isReadOnly)
            database = open
            return try open.meta()?.position
        }
    }

    /// The snapshot that the checkpoint holds, every row checked; nil if it holds none.
    ///
    /// - Throws: `CheckpointError`.
    func load(into empty: Snapshot) throws -> Snapshot? {
        let snapshot = try database.withLock { database in
            let open = try database ?? CheckpointDatabase(path: path, readOnly: isReadOnly)
            database = open
            return try CheckpointLoader.load(open, into: empty)
        }
        written.withLock { $0 = snapshot?.sequence }
        return snapshot
    }

    /// Brings the checkpoint to the state of `snapshot`.
    ///
    /// - Parameter touched: all rows that differ from what the checkpoint holds.
    /// - Throws: `CheckpointError`; the checkpoint is then as it was before.
    func write(_ snapshot: Snapshot, _ touched: TouchedRows) throws {
        let position = CheckpointPosition(
            storeID: storeID, sequence: snapshot.sequence.rawValue,
            runningCheck: snapshot.check.rawValue,
            timeMicroseconds: snapshot.time.microseconds)
        try database.withLock { database in
            let open = try database ?? CheckpointDatabase(path: path, readOnly: isReadOnly)
            database = open
            try open.write(Self.batch(snapshot, touched), at: position)
        }
        written.withLock { $0 = snapshot.sequence }
    }

    func close() throws {
        try database.withLock { database in
            try database?.close()
            database = nil
        }
    }

    /// Writes a whole snapshot to an empty database, for queries.
    static func fill(_ database: CheckpointDatabase, with snapshot: Snapshot) throws {
        let nobody = [UInt8](repeating: 0, count: CheckpointPosition.storeIDBytes)
        let position = CheckpointPosition(
            storeID: nobody, sequence: snapshot.sequence.rawValue,
            runningCheck: snapshot.check.rawValue, timeMicroseconds: snapshot.time.microseconds)
        try database.write(batch(snapshot, TouchedRows(allOf: snapshot)), at: position)
    }

    static func batch(
        _ snapshot: Snapshot, _ touched: TouchedRows
    ) throws -> CheckpointBatch {
        let touchedTables = touched.tables.compactMap(\.self)
        let changes = touchedTables.sorted { $0.entity < $1.entity }.map { rows in
            let table = snapshot.table(rows.entity)
            var upserts: [Row] = []
            var deletions: [Int64] = []
            for note in rows.distinctNotes {
                if let row = table?.rows.find(number: note.number, hash: note.hash) {
                    upserts.append(row)
                } else {
                    deletions.append(Int64(note.number))
                }
            }
            return CheckpointBatch.EntityChanges(
                entity: rows.entity, isCleared: rows.isCleared, deletions: deletions
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
