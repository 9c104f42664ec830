import SkyrosDisk

/// A ``DataStore`` that writes two others: it reads the *primary*, and keeps the *shadow* equal to
/// it, so that a large app moves from one to the other, one access at a time.
///
///     let data = MirroredStore(primary: old, shadow: new) { log("\($0)") }
///     try data.synchronize()                  // copy what the shadow lacks, while the app works
///     try data.switchOver()                   // if nothing differs: `new` is the primary now
///
/// Each commit is written to the primary and then to the shadow. The primary decides: if it throws,
/// the shadow is not written; if the shadow throws, the commit succeeds, and the difference is
/// reported. After each commit, the records that it changed are compared.
///
/// After a crash between the two writes the shadow lacks a commit: ``synchronize(by:because:)``
/// brings it. An app switches for good by making the mirror the other way round at its next start.
public final class MirroredStore: Sendable {
    private struct Pair: Sendable {
        var primary: any DataStore
        var shadow: any DataStore
    }

    private let pair: Locked<Pair>
    private let lock = WriterLock()
    let onDifference: @Sendable (StoreDifference) -> Void

    /// A mirror of two stores, which the app must not write in other ways.
    ///
    /// - Parameters:
    ///   - primary: the store that is read, and written first.
    ///   - shadow: the store that is written after it.
    ///   - onDifference: called with each difference that a commit finds, on its thread, after the
    ///     commit.
    public init(
        primary: any DataStore, shadow: any DataStore,
        onDifference: @escaping @Sendable (StoreDifference) -> Void = { _ in }
    ) {
        pair = Locked(Pair(primary: primary, shadow: shadow))
        self.onDifference = onDifference
    }

    /// The store that is read.
    public var primary: any DataStore { pair.withLock { $0.primary } }

    /// The store that is kept equal.
    public var shadow: any DataStore { pair.withLock { $0.shadow } }

    func withLock<R>(_ body: () throws -> R) throws -> R {
        try lock.lock(afterAllJobs: false)
        defer { lock.unlock() }
        return try body()
    }

    // MARK: Differences

    /// What the stores do not have in the same way, at most `limit` records, in no particular
    /// order. Commits may go on meanwhile. O(n) without a difference; it stops at the limit.
    public func differences(limit: Int = 100) throws -> [StoreDifference] {
        var found: [StoreDifference] = []
        guard limit > 0 else { return found }
        do {
            try forEachSuspect(inBatchesOf: min(limit, Self.batchRecords)) { entity, ids in
                try withLock {
                    for id in ids where found.count < limit {
                        if let difference = try difference(entity, id) { found.append(difference) }
                    }
                }
                // A back end reads to its end, unless it is stopped by an error.
                if found.count == limit { throw LimitReached() }
            }
        } catch {
            // A back end may wrap the error, or throw another one in its place.
            guard found.count == limit else { throw error }
        }
        return found
    }

    private struct LimitReached: Error {}

    /// Makes the shadow equal to the primary: writes what it lacks, and deletes what only it has.
    /// Returns the number of records that were written or deleted.
    ///
    /// Commits may go on meanwhile. If it is interrupted, run it again.
    ///
    /// What a commit of the shadow cannot do without is done in the same one: the targets of
    /// references are written, and the records change whose references deny a deletion. Where a
    /// record still has a unique value, the records of the entity are made equal before it, and in
    /// the same commit those that cannot be written before it.
    ///
    /// - Parameters:
    ///   - actor: the actor of the shadow's events, if it has a history.
    ///   - reason: why.
    /// - Throws: what the shadow throws for a record that it refuses.
    @discardableResult
    public func synchronize(
        by actor: String? = nil, because reason: String? = "synchronization"
    ) throws -> Int {
        let metadata = Metadata(actor: actor, reason: reason)
        var count = 0
        try forEachSuspect { entity, ids in
            try withLock {
                let copier = RecordCopier(from: primary) { records in
                    try self.commit(records.map { .put($0) }, metadata, &count)
                }
                try copier.copy(ids.compactMap { try difference(entity, $0)?.primary })
                // Only the shadow has what differs still.
                try commit(ids.compactMap { try repair(entity, $0) }, metadata, &count)
            }
        }
        return count
    }

    /// Writes changes to the shadow, and those that it cannot do without; adds their number to
    /// `count`. The calling thread holds the lock.
    private func commit(
        _ changes: [DataChange], _ metadata: Metadata, _ count: inout Int
    ) throws {
        guard !changes.isEmpty else { return }
        var all = changes
        var keys = Set(changes.compactMap(\.key))
        while true {
            do {
                try shadow.commit(metadata) { all }
                count += all.count
                return
            } catch let error as StoreError {
                // Each round adds a record that differs, or writes one, and none twice: they end.
                var longer = keys
                let needed = try repairs(of: error).filter { change in
                    change.key.map { longer.insert($0).inserted } ?? false
                }
                guard !needed.isEmpty else { throw error }
                if error.code == .uniqueViolation {
                    let written = try commitAccepted(needed, metadata)
                    count += written.count
                    keys.formUnion(written)
                    if !written.isEmpty { continue }
                }
                keys = longer
                all += needed
            }
        }
    }

    /// Writes those batches of changes that the shadow accepts by themselves; returns what was
    /// written.
    private func commitAccepted(
        _ changes: [DataChange], _ metadata: Metadata
    ) throws -> Set<RecordCopier.Key> {
        var written: Set<RecordCopier.Key> = []
        func write(_ changes: [DataChange]) throws {
            guard !changes.isEmpty else { return }
            try shadow.commit(metadata) { changes }
            written.formUnion(changes.compactMap(\.key))
        }
        func ifAccepted(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as StoreError where Self.refusals.contains(error.code) {
                // The caller writes them together with others.
            }
        }
        let copier = RecordCopier(from: primary) { records in
            try write(records.map { .put($0) })
        }
        for start in stride(from: 0, to: changes.count, by: Self.batchRecords) {
            let batch = changes[start...].prefix(Self.batchRecords)
            let records = batch.compactMap { change -> Record? in
                if case .put(let record) = change { record } else { nil }
            }
            let deletions = batch.filter { change in
                if case .delete = change { true } else { false }
            }
            try ifAccepted { try write(deletions) }
            try ifAccepted { try copier.copy(records) }
        }
        return written
    }

    /// What a batch may need others for.
    private static let refusals: Set<StoreError.Code> = [
        .uniqueViolation, .brokenReference, .deletionDenied, .limitExceeded,
    ]

    /// The changes of the shadow's records that may be why it refuses a commit.
    ///
    /// - Complexity: O(1) for each reference that denies a deletion; after a unique value was
    ///   refused, O(records of the entity in the shadow): the error does not say which has it.
    private func repairs(of error: StoreError) throws -> [DataChange] {
        if error.code == .deletionDenied {
            return try error.place.references.compactMap { try repair($0.entity, $0.id) }
        }
        guard error.code == .uniqueViolation, let entity = error.place.entity else { return [] }
        var repairs: [DataChange] = []
        try shadow.forEachRecord(of: entity) { record in
            if let repair = try repair(entity, record.id) { repairs.append(repair) }
        }
        return repairs
    }

    /// What makes a record of the shadow equal to the primary's; nil if it is.
    private func repair(_ entity: String, _ id: RecordID) throws -> DataChange? {
        guard let difference = try difference(entity, id) else { return nil }
        guard let record = difference.primary else { return .delete(entity: entity, id: id) }
        return .put(record)
    }

    /// Makes the shadow the primary, and the primary the shadow, if nothing differs.
    ///
    /// No commit runs meanwhile. O(n).
    ///
    /// - Throws: `StoreError` with `.storesDiffer`, naming records that differ.
    public func switchOver() throws {
        try withLock {
            var found: [StoreDifference] = []
            try forEachSuspect { entity, ids in
                found += try ids.compactMap { try difference(entity, $0) }
            }
            if let first = found.first { throw StoreError.differ(found, first) }
            try shadow.flush()
            pair.withLock { $0 = Pair(primary: $0.shadow, shadow: $0.primary) }
        }
    }

    /// Calls `body` with ids of records that may differ, in batches.
    private func forEachSuspect(
        inBatchesOf count: Int = MirroredStore.batchRecords,
        _ body: (String, [RecordID]) throws -> Void
    ) throws {
        let (primary, shadow) = (primary, shadow)
        for entity in try primary.entityNames() {
            try Self.forEachBatch(of: entity, in: primary, count, body) { record in
                try shadow.record(entity, record.id) != record
            }
        }
        for entity in try shadow.entityNames() {
            try Self.forEachBatch(of: entity, in: shadow, count, body) { record in
                try primary.record(entity, record.id) == nil
            }
        }
    }

    private static func forEachBatch(
        of entity: String, in store: any DataStore, _ count: Int,
        _ body: (String, [RecordID]) throws -> Void,
        where isSuspect: (Record) throws -> Bool
    ) throws {
        var ids: [RecordID] = []
        try store.forEachRecord(of: entity) { record in
            guard try isSuspect(record) else { return }
            ids.append(record.id)
            if ids.count == count {
                try body(entity, ids)
                ids = []
            }
        }
        if !ids.isEmpty { try body(entity, ids) }
    }

    private static let batchRecords = 500

    /// The difference of a record; nil if there is none.
    func difference(
        _ entity: String, _ id: RecordID, _ cause: (any Error)? = nil
    ) throws -> StoreDifference? {
        let (mine, its) = (try primary.record(entity, id), try shadow.record(entity, id))
        guard mine != its else { return nil }
        return StoreDifference(entity: entity, id: id, primary: mine, shadow: its, cause: cause)
    }
}

extension DataChange {
    /// What names the record; nil for all records of an entity.
    fileprivate var key: RecordCopier.Key? {
        switch self {
        case .put(let record): RecordCopier.Key(record)
        case .delete(let entity, let id): RecordCopier.Key(entity, id)
        case .deleteAll: nil
        }
    }
}

extension StoreError {
    fileprivate static func differ(
        _ found: [StoreDifference], _ first: StoreDifference
    ) -> StoreError {
        let examples = found.prefix(3).map(\.description).joined(separator: "; ")
        let more = found.count > 3 ? " and \(found.count - 3) more" : ""
        return StoreError(
            .storesDiffer,
            "\(found.count) records differ: \(examples)\(more). Nothing was switched; call "
                + "synchronize() first",
            at: Place(
                entity: first.entity,
                ids: found.filter { $0.entity.isSameName(as: first.entity) }.compactMap(\.id)))
    }
}
