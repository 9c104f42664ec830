/// Copies all records of a data store to another one.
///
///     let old = try SQLiteStore(at: oldURL)
///     let new = try Store(at: newURL, entities: User.self, Order.self)
///     let report = try migrate(from: old, to: new, because: "moved to Skyros")
///
/// Records are written in batches. A migration that was interrupted is run again: it passes over
/// the records that the target has already. A record whose relations lead to records that are not
/// copied yet takes them along, so the order of the entities does not matter.
///
/// The source is not changed. Records that only the target has stay. Write to neither meanwhile; an
/// app that cannot pause uses a ``MirroredStore``.
///
/// - Parameters:
///   - source: the store that is read.
///   - target: the store that gets the records.
///   - replacing: whether a record that the target has with other content is replaced. If false,
///     it is an error, so that a migration that is run once too often loses nothing.
///   - actor: who migrates. Default: that of `withMetadata`, also for the others.
///   - reason: why. Default: "migration".
///   - metadata: more about the events, such as a correlation.
///   - progress: called after each batch.
/// - Returns: what was copied, in this run.
/// - Throws: `StoreError` with `.duplicateID` if the target has a record with other content;
///   `.unknownEntity`, `.notDecodable`, `.uniqueViolation`, `.brokenReference`, if a record does
///   not fit the target's types; what the stores throw. Whole batches were written before.
/// - Complexity: O(n log n) for n records of the source.
@discardableResult
public func migrate(
    from source: any DataStore, to target: any DataStore, replacing: Bool = false,
    by actor: String? = nil, because reason: String? = "migration",
    metadata: Metadata = Metadata(), progress: (MigrationReport) -> Void = { _ in }
) throws -> MigrationReport {
    var metadata = metadata
    metadata.actor = actor ?? metadata.actor
    metadata.reason = metadata.reason ?? reason
    let copier = RecordCopier(from: source, to: target, metadata)
    var report = MigrationReport()
    for entity in try source.entityNames().sortedNames() {
        var batch = RecordBatch()
        func write() throws {
            try copier.copy(batch.records)
            report.copiedCount += batch.records.count
            batch = RecordBatch()
            progress(report)
        }
        try source.forEachRecord(of: entity) { record in
            let old = try target.record(entity, record.id)
            if old == record {
                report.equalCount += 1
                return
            }
            guard old == nil || replacing else { throw StoreError.migrating(over: record) }
            batch.add(record)
            if batch.isFull { try write() }
        }
        if !batch.records.isEmpty { try write() }
    }
    try target.flush()
    return report
}

/// What a migration has done.
public struct MigrationReport: Hashable, Sendable {
    /// The records that were written.
    public internal(set) var copiedCount = 0
    /// The records that the target had already.
    public internal(set) var equalCount = 0
}

extension StoreError {
    fileprivate static func migrating(over record: Record) -> StoreError {
        StoreError(
            .duplicateID,
            "the target has another \(record.entity) \(record.id) than the source; it was not "
                + "replaced. If the target is already in use, the migration is done; otherwise "
                + "call migrate(from:to:replacing: true)",
            at: Place(entity: record.entity, ids: [record.id]))
    }
}
