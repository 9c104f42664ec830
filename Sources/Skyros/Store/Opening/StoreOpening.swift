import SkyrosDisk
import SkyrosLog

/// Opens a store. Everything that can refuse the opening comes before the first change.
///
/// 1. Check the options, start a thread, take the lock, inspect the log and the checkpoint.
/// 2. Load the checkpoint and replay the events after it; without a usable one, replay all events.
/// 3. Compare with the schema.
/// 4. Quarantine a useless checkpoint, and open the log for writing.
struct StoreOpening {
    let environment: Environment
    let schema: Schema
    let options: Store.Options
    /// How the store joins others whose log is on a server; nil for a log in files.
    let node: NodePlan?

    init(
        environment: Environment, schema: Schema, options: Store.Options, node: NodePlan? = nil
    ) {
        self.node = node
        self.environment = environment
        self.schema = options.requiresReason ? schema.requiringReasons() : schema
        self.options = options
    }

    var disk: any Disk { environment.disk }

    /// Opens the store, or creates it if there is none.
    ///
    /// - Throws: `StoreError`; an opening that is refused changes nothing (promise P5).
    func open() throws -> StoreResources {
        try options.check()
        if node != nil, options.retention != .forever {
            throw StoreError(
                .invalidInput,
                "Options.retention is for logs in files: that of a server keeps its history")
        }
        let syncing = SerialQueue()
        try StoreError.wrap(try syncing.start())
        if try mayCreate() { try StoreCreation(disk: disk).checkBeforeLock() }
        let lock = try StoreError.wrap(try disk.lock())
        do {
            var resources = try StoreError.wrap(try open(holding: lock))
            resources.syncing = syncing
            return resources
        } catch {
            lock.release()
            throw error
        }
    }

    /// - Parameter hashSeed: that of the view, if there is one already.
    func open(holding lock: any DiskLock, hashSeed: UInt64? = nil) throws -> StoreResources {
        let erasure = try StoreErasure.continued(on: disk)
        let beginsAnew = erasure?.marker.beginsAnew == true && options.createsStore
        if !beginsAnew { try erasure?.end() }
        let remote = try prepareNode()
        let inspection = try LogInspection(
            of: disk, logOptions, framing: EventCoding.byteCount(of:))
        if let refusal = inspection.refusal { throw refusal }
        let isNew = inspection.storeID == nil
        if isNew, !beginsAnew { try checkCreation() }
        let storeID = inspection.storeID ?? StoreID(from: environment.entropy)
        let empty = emptyState(
            beginning: inspection.beginning ?? ChainHash(beginning: storeID),
            hashSeed: hashSeed ?? environment.entropy.next())
        var checkpoint = CheckpointOpening(environment, storeID: storeID, isOfCopy: node != nil)
        var report = RecoveryReport()
        // A store in memory has no checkpoint.
        var dirty = DirtyRows(isRecording: checkpoint.checkpointer != nil)
        var snapshot = empty
        var keys = KeyTable()
        try snapshot.fold { snapshot in
            snapshot = try checkpoint.load(into: snapshot, inspection, &keys)
            let first = snapshot.sequence
            try replay(inspection, into: &snapshot, &dirty, &keys)
            let start = max(first.rawValue, inspection.firstSequence - 1)
            report.replayedEventCount = Int(snapshot.sequence.rawValue - start)
        }
        try complete(&keys, from: inspection, at: snapshot.time)
        let shared = try remote?.join(try openLog(inspection, storeID, &report))
        if let shared { try fold(shared, into: &snapshot, &dirty, &keys) }
        report.isNew = isNew
        report.hasFinishedErasure = erasure != nil
        report.sequence = snapshot.sequence
        report.checkpoint = checkpoint.outcome
        if isNew { try StoreCreation(disk: disk).check(checkpoint.outcome) }
        try compareWithSchema(snapshot)
        try snapshot.adoptRecordedSchemas()
        try checkEvolution(of: snapshot, &report)
        let identities = try identityEvolutions(of: snapshot)
        try snapshot.compareFields()
        let evolved = try state(snapshot, with: identities)
        report.duplicates = try evolved.findDuplicates()
        try refuseDuplicates(report.duplicates)
        report.brokenReferences = try brokenReferences(of: evolved)
        report.unreadable = snapshot.unreadableRecords(amongFirst: Self.sampleCount)
        let backup = evolutionBackup(of: snapshot, storeID, &report)
        // Later, the first write makes it.
        if !identities.isEmpty { try backup?.make(at: snapshot.sequence) {} }
        report.quarantined += try checkpoint.setAsideIfUseless()
        try checkpoint.makeFileIfMissing()
        try makeFormatNote(isNew: isNew)
        report.historyReplacedAfter = remote?.common
        let log: any LogEngine = try shared ?? openLog(inspection, storeID, &report)
        if beginsAnew { try erasure?.end() }
        checkpoint.compareLater(with: log)
        try rewrite(identities, in: &snapshot, &dirty, log, &report)
        let handler = ErrorHandler(options)
        let threads = ConcurrentThreads()
        let projections = ProjectionSet(
            options.projections, environment.clock, threads, report: { handler.report($0) })
        projections?.begin(checkpoint.projections, at: snapshot.sequence)
        return StoreResources(
            lock: lock, log: log, schema: schema, environment: environment,
            options: options, view: MainView(snapshot, dirty: dirty),
            keys: IdempotencyKeys(keys, keyWindow), empty: empty,
            checkpointer: checkpoint.checkpointer, recovery: report,
            handler: handler, concurrentThreads: threads, projections: projections,
            evolutionBackup: backup, node: node)
    }

    /// The state before the first event.
    func emptyState(beginning chainHash: ChainHash, hashSeed: UInt64) -> Snapshot {
        var state = Snapshot(schema, beginning: chainHash, hashSeed: hashSeed)
        if options.keepsUnknownEntities { state.acceptsEntities = true }
        state.requiresReason = options.requiresReason
        return state
    }

    /// Creates an empty log after the files of the store before were erased.
    ///
    /// - Parameter hashSeed: that of the view, which is kept.
    func createAgain(
        hashSeed: UInt64
    ) throws -> (log: any LogEngine, empty: Snapshot, checkpointer: Checkpointer?) {
        let storeID = StoreID(from: environment.entropy)
        let empty = emptyState(beginning: ChainHash(beginning: storeID), hashSeed: hashSeed)
        let checkpoint = CheckpointOpening(environment, storeID: storeID)
        try checkpoint.makeFileIfMissing()
        try makeFormatNote(isNew: true)
        let log = try FileLog.make(
            for: storeID, on: disk, options.log, entropy: environment.entropy,
            framing: EventCoding.byteCount(of:))
        return (log, empty, checkpoint.checkpointer)
    }

    /// Throws unless a store may be created.
    private func checkCreation() throws {
        guard options.createsStore else {
            throw StoreError(
                .notAStore,
                "there is no store in the directory, and Options.createsStore is false; name "
                    + "another one, or copy the store's events/ again if this is a copy",
                at: StoreError.Place(file: disk.systemPath))
        }
        try StoreCreation(disk: disk).check()
    }

    func replay(
        _ log: LogInspection, into snapshot: inout Snapshot, _ dirty: inout DirtyRows,
        _ keys: inout KeyTable
    ) throws {
        let last = SequenceNumber(rawValue: log.head.sequence)
        if snapshot.sequence == .zero, let floor = log.floor { keys = try FloorState(floor).keys }
        try HistoryReader.fold(log, through: last, into: &snapshot, marking: &dirty) {
            keyWindow.note($0, in: &keys)
            return true
        }
        guard snapshot.sequence == last, last == .zero || snapshot.chainHash == log.head.chainHash
        else {
            throw StoreError(
                .chainBroken, "the log's events do not lead to the log's chain hash",
                at: StoreError.Place(sequences: last...last))
        }
    }

    /// This many records of each entity are read, to report what does not fit its type.
    static let sampleCount = 32

    /// Throws if there are records of an entity without a type, which may have been renamed.
    func compareWithSchema(_ snapshot: Snapshot) throws {
        guard !snapshot.acceptsEntities else { return }
        let unknown = snapshot.entities.filter { schema.definition(named: $0) == nil }
        guard let name = unknown.first else { return }
        let given = schema.entities.map(\.name)
        let names = unknown.map { "\"\($0.spelled(besides: given))\"" }.joined(separator: ", ")
        throw StoreError(
            .unknownEntity,
            "the store holds records of \(names), but no type with that entity name was given to "
                + "Store(at:entities:). Add the type, or pin its old name with "
                + "static let entityName = \"\(name.spelled(besides: given))\"; to keep the "
                + "records without a type, set Options.keepsUnknownEntities",
            at: StoreError.Place(entity: name))
    }

    /// Throws if records break a unique index, unless the app wants a report.
    private func refuseDuplicates(_ found: [DuplicateRecords]) throws {
        guard options.existingDuplicates == .refuse, let first = found.first else { return }
        let examples = found.prefix(3).map { group in
            let ids = group.ids.prefix(3).map(\.description).joined(separator: ", ")
            let more = group.ids.count > 3 ? " and \(group.ids.count - 3) more" : ""
            let values = group.values.map { $0.jsonText() }.joined(separator: ", ")
            return "\(values) in \(group.entity) \(ids)\(more)"
        }
        throw StoreError(
            .uniqueViolation,
            "\(found.count) values are not unique, though an index of \(first.entity) by "
                + "\(first.fields.joined(separator: ", ")) says so: "
                + "\(examples.joined(separator: "; ")). Open the store without the index, or with "
                + "Options.existingDuplicates set to .report, and change the records",
            at: StoreError.Place(entity: first.entity, ids: first.ids))
    }

    /// Writes the note about the format if it is missing. In a new store, the sync that makes the
    /// directory of the log durable covers it.
    private func makeFormatNote(isNew: Bool) throws {
        // A store in memory has no reader to tell.
        guard disk.databaseDirectory != nil else { return }
        guard isNew else { return FormatNote.restore(on: disk) }
        try StoreError.wrap {
            if try FormatNote.isMissing(on: disk) { try FormatNote.write(on: disk) }
        }
    }

    private func openLog(
        _ inspection: LogInspection, _ storeID: StoreID, _ report: inout RecoveryReport
    ) throws -> FileLog {
        guard inspection.storeID != nil else {
            return try FileLog.make(
                for: storeID, on: disk, logOptions, entropy: environment.entropy,
                framing: EventCoding.byteCount(of:))
        }
        let (log, recovery) = try FileLog.open(inspection, on: disk, logOptions)
        report.wasClean = recovery.wasClean
        report.cutByteCount = recovery.cutByteCount
        report.cutEventCount = recovery.cutBlockCount
        if let path = recovery.quarantined { report.quarantined.append(path) }
        report.quarantined += recovery.quarantinedFiles
        return log
    }
}
