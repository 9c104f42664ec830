import Skyros

/// The records of an import's input to which relations lead: those that others need before their
/// turn comes.
///
/// They are read when the first one is needed, all in one pass.
final class TargetRecords {
    private let importer: Importer
    private let schemas: NamedValues<EntitySchema>
    private let isStored: (String, RecordID) throws -> Bool
    private var records: [String: [RecordID: Record]]?
    private var taken: [String: Set<RecordID>] = [:]

    /// - Parameter isStored: whether the store has a record.
    init(
        of importer: Importer, _ schemas: NamedValues<EntitySchema>,
        isStored: @escaping (String, RecordID) throws -> Bool
    ) {
        self.importer = importer
        self.schemas = schemas
        self.isStored = isStored
    }

    /// The record with this id, and those that it needs in turn, which are written now; none if the
    /// input has it not. O(records that are taken).
    func take(_ entity: String, _ id: RecordID) throws -> [Record] {
        let records = try records ?? read()
        self.records = records
        var found: [Record] = []
        var wanted = [(entity: entity, id: id)]
        while let (entity, id) = wanted.popLast() {
            guard let record = records[entity]?[id], taken[entity]?.contains(id) != true,
                try !isStored(entity, id)
            else { continue }
            taken[entity, default: []].insert(id)
            found.append(record)
            for relation in schemas[entity]?.relations(of: entity) ?? [] {
                guard let value = record[relation.field] else { continue }
                let targets = relation.kind == .many ? value.array ?? [] : [value]
                wanted += try targets.filter { $0 != .null }
                    .map { (relation.target, try RecordID($0)) }
            }
        }
        return found
    }

    /// Whether the record was written before its turn.
    func wasTaken(_ record: Record) -> Bool {
        taken[record.entity]?.contains(record.id) == true
    }

    private func read() throws -> [String: [RecordID: Record]] {
        let entities = Set(
            schemas.flatMap { entity, schema in schema.relations(of: entity).map(\.target) })
        var found: [String: [RecordID: Record]] = [:]
        try importer.source.forEachRow { row in
            guard entities.contains(row.entity) else { return }
            let record = try importer.kinds.record(of: row)
            found[row.entity, default: [:]][record.id] = record
        }
        return found
    }
}
