import SkyrosDisk
import SkyrosLog

/// Opens a store. Everything that can refuse the opening comes before the first change.
///
/// 1. Take the lock, inspect the log and the checkpoint.
/// 2. Load the checkpoint and replay the events after it; without a usable one, replay all events.
/// 3. Compare with the schema.
/// 4. Quarantine a useless checkpoint, and open the log for writing.
struct StoreOpening {
    let environment: Environment
    let schema: Schema
    let options: Store.Options

    private var disk: any Disk { environment.disk }

    /// Opens the store, or creates it if there is none.
    ///
    /// - Throws: `StoreError`; an opening that is refused changes nothing (promise P5).
    func open() throws -> StoreResources {
        let lock = try StoreError.wrap(try disk.lock())
        return try StoreError.wrap(try open(holding: lock))
    }

    private func open(holding lock: any DiskLock) throws -> StoreResources {
        let inspection = try LogInspection(
            of: disk, options.log, framing: EventCoding.byteCount(of:))
        if let refusal = inspection.refusal { throw refusal }
        let storeID = inspection.storeID ?? StoreID(from: environment.entropy)
        let empty = Snapshot(
            schema, beginning: ChainHash(beginning: storeID),
            hashSeed: environment.entropy.next())
        var checkpoint = CheckpointOpening(disk: disk, storeID: storeID)
        var report = RecoveryReport()
        // A store in memory has no checkpoint.
        var dirty = DirtyRows(isRecording: checkpoint.checkpointer != nil)
        var snapshot = empty
        try snapshot.fold { snapshot in
            snapshot = try checkpoint.load(into: snapshot, inspection)
            let first = snapshot.sequence
            try replay(inspection, into: &snapshot, &dirty)
            report.replayedEventCount = Int(snapshot.sequence.rawValue - first.rawValue)
        }
        report.sequence = snapshot.sequence
        report.checkpoint = checkpoint.outcome
        try compareWithSchema(snapshot)
        report.quarantined += try checkpoint.setAsideIfUseless()
        try checkpoint.makeFileIfMissing()
        let log = try openLog(inspection, storeID, &report)
        return StoreResources(
            lock: lock, log: log, schema: schema, clock: environment.clock,
            options: options, view: MainView(snapshot, dirty: dirty), empty: empty,
            checkpointer: checkpoint.checkpointer, recovery: report)
    }

    private func replay(
        _ log: LogInspection, into snapshot: inout Snapshot, _ dirty: inout DirtyRows
    ) throws {
        let last = SequenceNumber(rawValue: log.head.sequence)
        try HistoryReader.fold(log, through: last, into: &snapshot, marking: &dirty)
        guard snapshot.sequence == last, last == .zero || snapshot.chainHash == log.head.chainHash
        else {
            throw StoreError(
                .chainBroken, "the log's events do not lead to the log's chain hash",
                at: StoreError.Place(sequences: last...last))
        }
    }

    /// Throws if there are records of an entity without a type, which may have been renamed.
    private func compareWithSchema(_ snapshot: Snapshot) throws {
        guard !options.keepsUnknownEntities else { return }
        let unknown = snapshot.entities.filter { schema.definition(named: $0) == nil }
        guard let name = unknown.first else { return }
        let names = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
        throw StoreError(
            .unknownEntity,
            "the store holds records of \(names), but no type with that entity name was given to "
                + "Store(at:entities:). Add the type, or pin its old name with "
                + "static let entityName = \"\(name)\"; to keep the records without a type, set "
                + "Options.keepsUnknownEntities",
            at: StoreError.Place(entity: name))
    }

    private func openLog(
        _ inspection: LogInspection, _ storeID: StoreID, _ report: inout RecoveryReport
    ) throws -> any LogEngine {
        guard inspection.storeID != nil else {
            return try FileLog.make(
                for: storeID, on: disk, options.log, entropy: environment.entropy,
                framing: EventCoding.byteCount(of:))
        }
        let (log, recovery) = try FileLog.open(inspection, on: disk, options.log)
        report.wasClean = recovery.wasClean
        report.cutByteCount = recovery.cutByteCount
        report.cutEventCount = recovery.cutBlockCount
        if let path = recovery.quarantined { report.quarantined.append(path) }
        return log
    }
}
