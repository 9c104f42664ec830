import SkyrosDisk
import SkyrosLog

/// Persists snapshots: writes the rows that changed since the last checkpoint, in one transaction
/// with the position (promise P7).
///
/// It is responsible for which rows to write. It is not responsible for when to write, and for the
/// durability of the log up to the snapshot's event.
final class Checkpointer: Sendable {
    private let directory: DatabaseDirectory
    private let name: String
    private let storeID: [UInt8]
    private let isReadOnly: Bool
    /// The open database; nil until it is needed, and after closing.
    private let database: Locked<CheckpointDatabase?>
    private let written = Locked<SequenceNumber?>(nil)

    /// Makes a checkpointer of the file `name` in `directory`, which the first write creates.
    init(in directory: DatabaseDirectory, _ name: String, storeID: [UInt8], readOnly: Bool = false)
    {
        self.directory = directory
        self.name = name
        isReadOnly = readOnly
        self.storeID = storeID
        database = Locked(nil)
    }

    /// The last event in the checkpoint; nil if it was neither loaded nor written yet.
    var sequence: SequenceNumber? { written.withLock { $0 } }

    /// The checkpoint's position; nil if nothing was ever written.
    ///
    /// - Throws: `CheckpointError`.
    func position() throws -> CheckpointPosition? {
        try database.withLock { database in
            try open(&database).description()?.position
        }
    }

    /// The first typed column that differs from the record of its row; nil if none does.
    ///
    /// - Throws: `CheckpointError`.
    func firstWrongColumn() throws -> CheckpointDatabase.WrongColumn? {
        try database.withLock { database in try open(&database).firstWrongColumn() }
    }

    /// The snapshot that the checkpoint holds, every row checked; nil if it holds none.
    ///
    /// - Parameter eventCount: the number of events that will be folded into it.
    /// - Throws: `CheckpointError`.
    func load(into empty: Snapshot, beforeEvents eventCount: Int = 0) throws -> Snapshot? {
        let snapshot = try database.withLock { database in
            try CheckpointLoader.load(open(&database), into: empty, beforeEvents: eventCount)
        }
        written.withLock { $0 = snapshot?.sequence }
        return snapshot
    }

    /// Writes the state of `snapshot` to the checkpoint.
    ///
    /// - Parameter dirty: all rows that differ from what the checkpoint holds.
    /// - Throws: `CheckpointError`; the checkpoint is then as it was before.
    func write(_ snapshot: Snapshot, _ dirty: DirtyRows) throws {
        let position = CheckpointPosition(
            storeID: storeID, sequence: snapshot.sequence.rawValue,
            chainHash: snapshot.chainHash.rawValue,
            timeMicroseconds: snapshot.time.microseconds)
        try database.withLock { database in
            _ = try open(&database).write(Self.batch(snapshot, dirty), at: position)
        }
        written.withLock { $0 = snapshot.sequence }
    }

    private func open(_ database: inout CheckpointDatabase?) throws -> CheckpointDatabase {
        guard directory.isInPlace else {
            throw CheckpointError.directoryMoved(from: directory.path)
        }
        if let database { return database }
        let opened = try CheckpointDatabase(
            path: directory.path(of: name), readOnly: isReadOnly, vfs: directory.vfs)
        database = opened
        return opened
    }

    func close() throws {
        try database.withLock { database in
            try database?.close()
            database = nil
        }
    }

    /// Writes a whole snapshot to an empty database, for queries.
    static func fill(_ database: CheckpointDatabase, with snapshot: Snapshot) throws {
        let noStoreID = [UInt8](repeating: 0, count: CheckpointPosition.storeIDBytes)
        let position = CheckpointPosition(
            storeID: noStoreID, sequence: snapshot.sequence.rawValue,
            chainHash: snapshot.chainHash.rawValue, timeMicroseconds: snapshot.time.microseconds)
        try database.write(batch(snapshot, DirtyRows(allOf: snapshot)), at: position)
    }

    static func batch(
        _ snapshot: Snapshot, _ dirty: DirtyRows
    ) throws -> CheckpointBatch {
        let changes = dirty.tables.compactMap(\.self).sorted { $0.entity < $1.entity }.map { rows in
            let table = snapshot.table(rows.entity)
            var upserts: [(Row, SequenceNumber)] = []
            var deletions: [Int64] = []
            for mark in rows.newestMarks {
                if let row = table?.rows.find(number: mark.number, hash: mark.hash) {
                    upserts.append((row, mark.sequence))
                } else {
                    deletions.append(Int64(mark.number))
                }
            }
            return CheckpointBatch.EntityChanges(
                entity: rows.entity, isCleared: rows.isCleared, deletions: deletions
            ) { consume in
                for (row, sequence) in upserts { try row.give(to: consume, sequence) }
            }
        }
        let counts = snapshot.tables.map { ($0.entity, $0.count) }
        return CheckpointBatch(changes, rowCounts: Dictionary(uniqueKeysWithValues: counts))
    }
}

extension Row {
    /// Passes the row to a checkpoint's writer.
    fileprivate func give(
        to consume: CheckpointBatch.EntityChanges.RowConsumer, _ sequence: SequenceNumber
    ) throws {
        let record = try encoded()
        try id.bytes.withUnsafeBytes { id in
            try record.withUnsafeBytes { record in
                try consume(
                    CheckpointRow(
                        number: Int64(number), sequence: sequence.rawValue, id: id,
                        record: record))
            }
        }
    }
}
