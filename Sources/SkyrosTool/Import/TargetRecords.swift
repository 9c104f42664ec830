import Skyros

/// The records of an import's input to which relations lead: those that others need before their
/// turn comes.
///
/// They are read when the first one is needed, all in one pass.
final class TargetRecords {
    private let importer: Importer
    private let schemas: NamedValues<EntitySchema>
    private let isStored: (String, RecordID) throws -> Bool
    private var records: [RecordCopier.Key: Record]?
    /// Those that were found for a commit, which may have failed.
    private var found: Set<RecordCopier.Key> = []
    /// Those that were written before their turn.
    private var taken: Set<RecordCopier.Key> = []

    /// - Parameter isStored: whether the store has a record.
    init(
        of importer: Importer, _ schemas: NamedValues<EntitySchema>,
        isStored: @escaping (String, RecordID) throws -> Bool
    ) {
        self.importer = importer
        self.schemas = schemas
        self.isStored = isStored
    }

    /// The record with this id, and those that it needs in turn, unless they are stored or among
    /// the keys of the commit, which get theirs; none if the input has it not. O(records found).
    func find(
        _ entity: String, _ id: RecordID, besides keys: inout Set<RecordCopier.Key>
    ) throws -> [Record] {
        let records = try records ?? read()
        self.records = records
        var list: [Record] = []
        var wanted = [(entity: entity, id: id)]
        while let (entity, id) = wanted.popLast() {
            guard let record = records[RecordCopier.Key(entity, id)], try !isStored(entity, id),
                keys.insert(RecordCopier.Key(record)).inserted
            else { continue }
            list.append(record)
            for relation in schemas[entity]?.relations(of: entity) ?? [] {
                guard let value = record[relation.field] else { continue }
                let targets = relation.kind == .many ? value.array ?? [] : [value]
                wanted += try targets.filter { $0 != .null }
                    .map { (relation.target, try RecordID($0)) }
            }
        }
        found.formUnion(list.map { RecordCopier.Key($0) })
        return list
    }

    /// Takes note of a commit's records, once they are written.
    func noteWritten(_ records: [Record]) {
        guard !found.isEmpty else { return }
        for record in records {
            let key = RecordCopier.Key(record)
            if found.contains(key) { taken.insert(key) }
        }
        found = []
    }

    /// Whether the record was written before its turn.
    func wasTaken(_ record: Record) -> Bool {
        taken.contains(RecordCopier.Key(record))
    }

    private func read() throws -> [RecordCopier.Key: Record] {
        let entities = Set(
            schemas.flatMap { entity, schema in schema.relations(of: entity).map(\.target) })
        var found: [RecordCopier.Key: Record] = [:]
        try importer.source.forEachRow { row in
            guard entities.contains(row.entity) else { return }
            let record = try importer.kinds.record(of: row)
            found[RecordCopier.Key(record)] = record
        }
        return found
    }
}
