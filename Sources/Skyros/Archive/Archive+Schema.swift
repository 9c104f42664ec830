import SkyrosLog

/// A table that SQL shows of an entity: in checkpoints, and in queries over any moment.
public struct TableSchema: Hashable, Sendable {
    /// A column, for one field of the records.
    public struct Column: Hashable, Sendable {
        /// The field's name in the records.
        public let field: String
        /// The column's name in SQL.
        public let name: String
        /// What the column shows: `integer`, `real`, `text`, `boolean`, `bytes`, `uuid`, `date`,
        /// `url`, `decimal` or `json`.
        public let kind: String
    }

    /// The entity's name in the records.
    public let entity: String
    /// The table's name in SQL.
    public let table: String
    /// The columns, in the order in which their fields first appeared.
    public let columns: [Column]
    /// The version of the records' shape and its steps; nil if the log has recorded none.
    public let schema: EntitySchema?
}

extension Archive {
    /// The tables and columns of all records that the log ever held, in the order in which they
    /// first appeared. O(events).
    ///
    /// - Parameters:
    ///   - last: the last event to read; nil for that of the log.
    ///   - progress: called after each event.
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func tables(
        through last: SequenceNumber? = nil, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> [TableSchema] {
        let collector = try collector(through: last ?? sequence, progress: progress)
        return collector.layout.entities.map { entity in
            TableSchema(entity, collector.schemas[entity.name])
        }
    }

    /// The tables and columns of the records in the events up to `last`.
    func layout(
        through last: SequenceNumber, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> TableLayout {
        try collector(through: last, progress: progress).layout
    }

    /// Adds the tables and columns of the events after `former`, as far as they are kept.
    func collector(
        _ known: LayoutCollector = LayoutCollector(), after former: SequenceNumber = .zero,
        through last: SequenceNumber, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> LayoutCollector {
        try LayoutCollector.collecting {
            var collector = known
            let first = firstSequence
            if former.next < first { try collector.note(floorOf: log) }
            let next = max(former.next, first)
            try EventReader(log).forEach(from: next, through: last) { event, _ in
                try collector.note(event)
                progress(event.sequence)
                return true
            }
            return collector
        }
    }
}

extension LayoutCollector {
    /// Runs `body`, which reads records of the log.
    ///
    /// - Throws: what `body` throws; `StoreError` with `.invalidEvent` if it is a `CBORError`.
    static func collecting<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as CBORError {
            throw StoreError(
                .invalidEvent, "a record in the log is not canonical; run `skyros verify`",
                cause: error.description)
        }
    }

    /// Adds what the records of a log's floor show, if it has one.
    mutating func note(floorOf log: any LogReader) throws {
        guard let floor = try log.floor.map({ try FloorState($0) }) else { return }
        note(floor.schemas)
        try floor.forEach { key, version in
            guard case .record(let bytes) = version.image else { return }
            try note(bytes, of: String(decoding: key.entity, as: UTF8.self))
        }
    }

    /// Adds what the records of the entities that evolve show.
    mutating func note(_ evolved: EvolvedState) throws {
        let state = evolved.state
        for (entity, schema) in state.schemas where schema.version > Evolver.firstVersion {
            try state.forEachRecord(entity) { try note($0.fields.bytes, of: entity) }
        }
    }
}

extension TableSchema {
    init(_ entity: TableLayout.Entity, _ schema: EntitySchema? = nil) {
        self.schema = schema
        self.entity = entity.name
        table = entity.table
        columns = entity.columns.map {
            Column(field: $0.field, name: $0.name, kind: $0.kind.rawValue)
        }
    }
}
