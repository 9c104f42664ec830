import SkyrosDisk
import SkyrosLog
import SkyrosSQLite

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
    private let template = Locked(TableLayout())
    /// What the file is known to hold; nil if that is not known.
    private let held = Locked<Held?>(Held())
    /// The sums of the projections in the file, by their names.
    private let projectionSums = Locked(NamedValues<UInt64>())
    private let lockTimeoutMilliseconds: Int32
    private let isNew: Bool
    /// Throws if the checkpoint in the file is not an earlier one of this store. Set while nothing
    /// is known about the file.
    private let comparison = Locked<Comparison?>(nil)

    typealias Comparison = @Sendable (CheckpointPosition) throws -> Void

    /// The checkpoint that was loaded or written last; without values if there is none.
    private struct Held {
        var sequence: SequenceNumber?
        /// Covers the numbers of the rows: a checkpoint that was made anew may have others.
        var seal: UInt64?
    }

    /// Makes a checkpointer of the file `name` in `directory`, which the first write creates.
    ///
    /// - Parameter isNew: whether the file is useless unless it is complete.
    init(
        in directory: DatabaseDirectory, _ name: String, storeID: [UInt8], readOnly: Bool = false,
        isNew: Bool = false, lockTimeoutMilliseconds: Int32 = 5_000
    ) {
        self.directory = directory
        self.lockTimeoutMilliseconds = lockTimeoutMilliseconds
        self.name = name
        isReadOnly = readOnly
        self.isNew = isNew
        self.storeID = storeID
        database = Locked(nil)
    }

    /// The last event in the checkpoint; nil if it was neither loaded nor written yet.
    var sequence: SequenceNumber? { held.withLock { $0?.sequence } }

    /// The tables and columns of the checkpoint; nil if its description cannot be read.
    var layout: TableLayout? { try? description()?.layout }

    /// Gives a checkpoint that is yet to be made the tables, columns and kinds of the one that it
    /// replaces: queries and tools know them.
    func keepNames(of layout: TableLayout?) {
        template.withLock { $0 = layout ?? TableLayout() }
    }

    /// The checkpoint's description; nil if nothing was ever written.
    ///
    /// - Throws: `CheckpointError`.
    func description() throws -> CheckpointDescription? {
        try database.withLock { database in try open(&database).description() }
    }

    /// The checkpoint's position; nil if nothing was ever written.
    ///
    /// - Throws: `CheckpointError`.
    func position() throws -> CheckpointPosition? {
        try description()?.position
    }

    /// The first typed column that differs from the record of its row; nil if none does.
    ///
    /// - Parameter progress: called with the number of rows read.
    /// - Throws: `CheckpointError`.
    func firstWrongColumn(
        progress: (Int) -> Void = { _ in }
    ) throws -> CheckpointDatabase.WrongColumn? {
        try database.withLock { database in
            try open(&database).firstWrongColumn(progress: progress)
        }
    }

    /// The snapshot that the checkpoint holds, every row checked; nil if it holds none.
    ///
    /// - Parameters:
    ///   - eventCount: the number of events that will be folded into it.
    ///   - progress: called now and then with the number of rows read.
    /// - Throws: `CheckpointError`.
    func load(
        into empty: Snapshot, beforeEvents eventCount: Int = 0,
        progress: (Int) -> Void = { _ in }
    ) throws -> Snapshot? {
        try loadContent(into: empty, beforeEvents: eventCount, progress: progress)?.snapshot
    }

    /// What a checkpoint holds, and its description: all of one transaction.
    typealias Content = (
        snapshot: Snapshot, keys: KeyTable, projections: [StoredProjection],
        description: CheckpointDescription
    )

    /// The same, and the idempotency keys and projections.
    func loadContent(
        into empty: Snapshot, beforeEvents eventCount: Int = 0,
        progress: (Int) -> Void = { _ in }
    ) throws -> Content? {
        let loaded: Content? = try database.withLock { database in
            let database = try open(&database)
            var events: [KeyedEvent] = []
            var projections: [StoredProjection] = []
            let snapshot = try CheckpointLoader.load(
                database, into: empty, beforeEvents: eventCount, progress: progress,
                keys: { events.append($0) }, projections: { projections.append($0) })
            guard let snapshot, let description = database.known else { return nil }
            let keys = KeyTable(events, after: description.keys.bound)
            return (snapshot, keys, projections, description)
        }
        noteEmpty()
        if let loaded {
            noteHeld(loaded.description, loaded.projections)
            comparison.withLock { $0 = nil }
        }
        return loaded
    }

    /// The projections that the checkpoint holds.
    ///
    /// - Throws: `CheckpointError`.
    func projections() throws -> [StoredProjection] {
        try database.withLock { database in try open(&database).projections() }
    }

    /// Expects an empty file, until it is loaded or written.
    func noteEmpty() {
        held.withLock { $0 = Held() }
        projectionSums.withLock { $0 = NamedValues() }
    }

    /// Makes `isUnchanged` false until the file is loaded or written: what was read of it last was
    /// of no use.
    func noteUnknown() {
        held.withLock { $0 = nil }
    }

    private func noteHeld(
        _ description: CheckpointDescription, _ projections: [StoredProjection]
    ) {
        let sequence = SequenceNumber(rawValue: description.position.sequence)
        held.withLock { $0 = Held(sequence: sequence, seal: description.seal) }
        projectionSums.withLock { sums in
            for projection in projections { sums[projection.name] = projection.sum }
        }
    }

    /// Whether the checkpoint that was loaded or written last has these values of projections.
    func holds(_ projections: [StoredProjection]) -> Bool {
        let sums = projectionSums.withLock { $0 }
        return projections.allSatisfy { sums[$0.name] == $0.sum }
    }

    /// Makes the next write replace everything in the file, after `comparison` has accepted its
    /// position: opening the store could not read it.
    func replaceAll(after comparison: @escaping Comparison) {
        self.comparison.withLock { $0 = comparison }
    }

    /// Writes the state of `snapshot` to the checkpoint.
    ///
    /// - Parameters:
    ///   - dirty: all rows that differ from what the checkpoint holds; all rows, after
    ///     `replaceAll`.
    ///   - keys: the idempotency keys up to the snapshot, and perhaps later ones.
    ///   - projections: new values of projections; the values of others are kept.
    ///   - progress: called with the number of rows that are written.
    /// - Throws: `CheckpointError`, and what the comparison throws; the checkpoint is then as it
    ///   was before.
    func write(
        _ snapshot: Snapshot, _ dirty: DirtyRows, _ keys: IdempotencyKeys,
        _ projections: [StoredProjection] = [], progress: (Int) -> Void = { _ in }
    ) throws {
        let position = CheckpointPosition(
            storeID: storeID, sequence: snapshot.sequence.rawValue,
            chainHash: snapshot.chainHash.rawValue,
            timeMicroseconds: snapshot.time.microseconds)
        let comparison = comparison.withLock { $0 }
        try withoutActuallyEscaping(progress) { progress in
            let description = try withDatabase { database in
                var replaced: [String]?
                if let comparison, let description = try database.description() {
                    try comparison(description.position)
                    replaced = description.layout.entities.map(\.name)
                }
                var batch = try Self.batch(
                    snapshot, dirty, replacing: replaced, gate: directory.gate, progress)
                batch.replacesAll = replaced != nil
                batch.projections = projections
                batch.keys = { range in
                    keys.changes(through: snapshot.sequence, at: snapshot.time, since: range)
                }
                return try database.write(batch, at: position)
            }
            self.comparison.withLock { $0 = nil }
            noteHeld(description, projections)
        }
    }

    /// Runs `body` with the database. If the store is suspended meanwhile, the connection has lost
    /// its locks: it is dropped, and the next one rolls back what it has left.
    private func withDatabase<R>(
        _ body: (CheckpointDatabase) throws -> R
    ) throws -> R {
        try database.withLock { database in
            do {
                return try body(open(&database))
            } catch {
                guard directory.gate?.isClosed == true else { throw error }
                database = nil
                throw CheckpointError.suspended
            }
        }
    }

    /// Drops the locks of a transaction that is in progress. The disk must be suspended already.
    func dropLocks() {
        directory.dropLocks(of: name)
    }

    /// Whether the file still holds the last checkpoint that was loaded or written. False if it
    /// cannot be read, or if that is not known.
    func isUnchanged() throws -> Bool {
        // The connection may have lost its locks.
        database.withLock { $0 = nil }
        guard let held = held.withLock({ $0 }) else { return false }
        do {
            return try description()?.seal == held.seal
        } catch is CheckpointError {
            return false
        }
    }

    private func open(_ database: inout CheckpointDatabase?) throws -> CheckpointDatabase {
        guard directory.isInPlace else {
            throw CheckpointError.directoryMoved(from: directory.path)
        }
        if let database { return database }
        let opened = try CheckpointDatabase(
            path: directory.path(of: name), readOnly: isReadOnly, isNew: isNew,
            busyTimeoutMilliseconds: lockTimeoutMilliseconds, vfs: directory.vfs,
            gate: directory.gate.map { gate in
                ConnectionOptions.Gate(gate) { [directory] in directory.sync() }
            })
        opened.template = template.withLock { $0 }
        database = opened
        return opened
    }

    func close() throws {
        try database.withLock { database in
            try database?.close()
            database = nil
        }
    }

    /// - Parameters:
    ///   - replaced: the entities in the file, if all of its rows are to be replaced.
    ///   - progress: called with the number of rows that were consumed.
    static func batch(
        _ snapshot: Snapshot, _ dirty: DirtyRows, replacing replaced: [String]? = nil,
        gate: ChangeGate? = nil, _ progress: @escaping (Int) -> Void = { _ in }
    ) throws -> CheckpointBatch {
        var consumedCount = 0
        var changes = dirty.tables.compactMap(\.self).sorted(byName: \.entity).map { rows in
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
                entity: rows.entity, isCleared: rows.isCleared || replaced != nil,
                deletions: deletions
            ) { consume in
                for (row, sequence) in upserts {
                    if gate?.isClosed == true { throw CheckpointError.suspended }
                    try row.give(to: consume, sequence)
                    consumedCount += 1
                    progress(consumedCount)
                }
            }
        }
        let written = changes.map(\.entity)
        for entity in replaced ?? [] where !written.containsName(entity) {
            changes.append(
                CheckpointBatch.EntityChanges(entity: entity, isCleared: true, deletions: []) { _ in
                })
        }
        var batch = CheckpointBatch(changes, rowCounts: snapshot.recordCounts)
        batch.schemas = snapshot.schemas
        for table in snapshot.tables where table.type != nil {
            // SQL has no index of the elements of a list.
            let indexes = table.indexes.map(\.definition).filter { !$0.isMultiValued }
            batch.indexes[table.entity] = indexes.map(\.fields)
        }
        return batch
    }
}

extension Row {
    /// Passes the row to a checkpoint's writer.
    fileprivate func give(
        to consume: CheckpointBatch.EntityChanges.RowConsumer, _ sequence: SequenceNumber
    ) throws {
        try id.bytes.withUnsafeBytes { id in
            try bytes.withUnsafeBytes { record in
                try consume(
                    CheckpointRow(
                        number: Int64(number), sequence: sequence.rawValue, version: version,
                        id: id, record: record))
            }
        }
    }
}
