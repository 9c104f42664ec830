import SkyrosDisk
import Synchronization

/// Adds to an event what it records of the shapes of entities, before it is appended.
///
/// An entity is recorded with the first event that changes its records, if it declares an
/// evolution, a unique index, a relation or required reasons, and if the log does not say the same
/// already. Entities whose records have an older shape are recorded with the first event of the
/// store, whatever that changes. The calling thread holds the writer lock.
final class SchemaRecorder: Sendable {
    private struct Progress: Sendable {
        /// The entities that need no further check, by their tables.
        var settled: [Bool] = []
        /// The entities whose records have an older shape.
        var evolving: [Int] = []
    }

    private let entities: [Schema.EntityDefinition]
    private let progress = Locked(Progress())
    /// Whether no entity needs a further check: most events find this, and nothing else is read.
    private let isDone = Atomic(false)

    /// - Parameter state: the state of the store that is opened.
    init(_ schema: Schema, _ state: Snapshot) {
        entities = schema.entities
        reset(for: state)
    }

    /// Adds what the log does not say yet of the entities that a batch changes.
    ///
    /// - Parameter current: the state before the batch.
    func record(in batch: inout CommandBatch, on current: @autoclosure () -> Snapshot) throws {
        guard !isDone.load(ordering: .relaxed) else { return }
        let (progress, state) = (progress.withLock { $0 }, current())
        let isSettled = progress.settled
        for table in progress.evolving where !isSettled[table] {
            try record(table, in: &batch, on: state)
        }
        for index in batch.changes.indices {
            let table = batch.changes[index].table
            // A table after those of the schema has no type.
            guard table < isSettled.count, !isSettled[table] else { continue }
            try record(table, in: &batch, on: state)
        }
    }

    /// Takes note that a batch was appended.
    func noteAppended(_ batch: borrowing CommandBatch) {
        guard !isDone.load(ordering: .relaxed) else { return }
        var next = progress.withLock { $0 }
        for index in batch.changes.indices where batch.changes[index].table < entities.count {
            next.settled[batch.changes[index].table] = true
        }
        for table in next.evolving { next.settled[table] = true }
        setProgress(next)
    }

    /// Checks again: others have written the log, or what was appended is lost.
    ///
    /// - Parameter state: the state before the next event.
    func reset(for state: Snapshot) {
        setProgress(
            Progress(
                // What the log has recorded may have to be taken back.
                settled: entities.map { !$0.isRecorded && state.schemas[$0.name] == nil },
                evolving: entities.indices.filter { state.isOlder($0, than: entities[$0]) }))
    }

    private func setProgress(_ next: Progress) {
        progress.withLock { $0 = next }
        isDone.store(!next.settled.contains(false), ordering: .relaxed)
    }

    private func record(
        _ table: Int, in batch: inout CommandBatch, on state: Snapshot
    ) throws {
        let entity = entities[table]
        guard batch.schemas[entity.name] == nil else { return }
        let schema = try EntitySchema(
            entity.evolver, fields: try fields(of: table, in: batch),
            unique: entity.indexes.filter(\.isUnique).map(\.fields),
            relations: entity.relations?.own.map(\.description.schemaParts) ?? [],
            requiresReason: entity.requiresReason)
        guard let known = state.schemas[entity.name] else {
            batch.schemas[entity.name] = schema
            return
        }
        // An older version of the app records nothing.
        if schema.version < known.version || schema.declaresSame(as: known) { return }
        batch.schemas[entity.name] = try schema.carryingUnknownParts(of: known)
    }

    /// The fields of a record that the batch writes, or of the prototype.
    private func fields(
        of table: Int, in batch: borrowing CommandBatch
    ) throws -> NamedValues<ColumnKind> {
        var example = entities[table].prototype
        for index in batch.changes.indices where batch.changes[index].table == table {
            guard case .put(let row, _) = batch.changes[index].effect else { continue }
            example = row.bytes
            break
        }
        return try example.map { try Fields(trusted: $0).kinds() } ?? NamedValues()
    }
}

extension Schema.EntityDefinition {
    /// Whether the log records the entity's shape.
    var isRecorded: Bool {
        evolver != nil || indexes.contains(where: \.isUnique) || relations?.own.isEmpty == false
            || requiresReason
    }
}

extension Snapshot {
    /// The newest version of the shape of an entity's records; nil if nothing of it was ever
    /// stored.
    func storedVersion(of table: Int) -> Int? {
        if let schema = schemas[tables[table].entity] { return schema.version }
        return tables[table].count > 0 ? Evolver.firstVersion : nil
    }

    /// Whether all that was ever stored of an entity has a shape before that of its type.
    func isOlder(_ table: Int, than entity: Schema.EntityDefinition) -> Bool {
        let version = entity.evolver?.version ?? Evolver.firstVersion
        return storedVersion(of: table).map { $0 < version } ?? false
    }
}
