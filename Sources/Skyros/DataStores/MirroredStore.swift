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
                let found = try ids.compactMap { try difference(entity, $0) }
                guard !found.isEmpty else { return }
                let copier = RecordCopier(from: primary, to: shadow, metadata)
                try copier.copy(found.compactMap(\.primary))
                let extra = found.filter { $0.primary == nil }
                if !extra.isEmpty {
                    try shadow.commit(metadata) {
                        extra.compactMap { difference in
                            difference.id.map { .delete(entity: difference.entity, id: $0) }
                        }
                    }
                }
                count += found.count
            }
        }
        return count
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
