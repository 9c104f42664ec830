import Skyros
import SkyrosSQLite

/// The entities of a Core Data store, which has a table `Z…` for each tree of entities.
///
/// The database has the names of entities as they are, and those of attributes in capitals:
/// `ZFIRSTNAME` becomes `firstname`. The id is `Z_PK`. A relationship to one record is its id, one
/// to many with a table between is a list of ids. Dates are seconds since 2001.
enum CoreDataModel {
    private struct Entity {
        let number: Int64
        let name: String
        let parent: Int64
    }

    /// The tables of a Core Data store; nil if the database is none.
    static func tables(in connection: Connection) throws -> [ImportTable]? {
        var names: Set<String> = []
        try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .forEachRow { names.insert($0.text(at: 0)) }
        guard names.contains("Z_PRIMARYKEY"), names.contains("Z_METADATA") else { return nil }
        var entities: [Int64: Entity] = [:]
        try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY").forEachRow {
            row in
            let entity = Entity(
                number: row.integer(at: 0), name: row.text(at: 1), parent: row.integer(at: 2))
            entities[entity.number] = entity
        }
        var tables: [ImportTable] = []
        for entity in entities.values.sorted(by: { $0.name < $1.name }) {
            let lineage = lineage(of: entity, entities)
            let table = "Z" + lineage[lineage.count - 1].name.uppercased()
            guard names.contains(table) else { continue }
            tables.append(try self.table(table, of: lineage, names, in: connection))
        }
        return tables
    }

    /// An entity and those that it is derived from, up to the root of the tree, which names the
    /// table.
    private static func lineage(of entity: Entity, _ entities: [Int64: Entity]) -> [Entity] {
        var lineage = [entity]
        // A file may hold a circle.
        while let parent = entities[lineage[lineage.count - 1].parent],
            lineage.count < entities.count
        {
            lineage.append(parent)
        }
        return lineage
    }

    private static func table(
        _ name: String, of lineage: [Entity], _ names: Set<String>, in connection: Connection
    ) throws -> ImportTable {
        var columns: [ImportTable.Column] = []
        var columnsSQL: [String] = []
        try connection.prepare("PRAGMA table_info(\(ImportTable.quoted(name)))").forEachRow { row in
            let column = row.text(at: 1)
            guard !["Z_PK", "Z_ENT", "Z_OPT"].contains(column) else { return }
            let isDate = row.text(at: 2).uppercased() == "TIMESTAMP"
            let field = column.dropFirst(column.hasPrefix("Z") ? 1 : 0).lowercased()
            columns.append(ImportTable.Column(field: field, kind: isDate ? .reference : nil))
            columnsSQL.append(ImportTable.quoted(column))
        }
        var table = ImportTable(
            name, entity: lineage[0].name, id: ["Z_PK"], idField: nil, columns, columnsSQL,
            where: " WHERE Z_ENT = \(lineage[0].number)")
        for between in names.sorted() {
            guard let (number, field) = numbered(between),
                lineage.contains(where: { $0.number == number })
            else { continue }
            if let ids = try ids(by: between, named: field, in: connection) {
                table.lists.append((field.lowercased(), ids))
            }
        }
        return table
    }

    /// The parts of `Z_12TAGS`: the number of an entity, and the name of its relationship.
    private static func numbered(_ name: String) -> (number: Int64, rest: String)? {
        guard let match = name.wholeMatch(of: #/Z_([0-9]+)([^0-9].*)/#),
            let number = Int64(match.1)
        else { return nil }
        return (number, String(match.2))
    }

    /// The ids to which each record leads, by a table between two entities.
    ///
    /// `Z_1TAGS` has a column `Z_2TAGS` of tags, and one, such as `Z_1NOTES`, of the records that
    /// have them.
    private static func ids(
        by table: String, named field: String, in connection: Connection
    ) throws -> [Int64: [FieldValue]]? {
        var columns: [String] = []
        try connection.prepare("PRAGMA table_info(\(ImportTable.quoted(table)))")
            .forEachRow { columns.append($0.text(at: 1)) }
        let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
        guard keys.count == 2, let target = keys.first(where: { numbered($0)?.rest == field }),
            let owner = keys.first(where: { $0 != target })
        else { return nil }
        let position = "Z_FOK_\(target.dropFirst(2))"
        let order = columns.contains(position) ? position : target
        var ids: [Int64: [FieldValue]] = [:]
        let sql = [owner, target, order].map(ImportTable.quoted).joined(separator: ", ")
        let statement = try connection.prepare(
            "SELECT \(sql) FROM \(ImportTable.quoted(table)) ORDER BY 1, 3, 2")
        try statement.forEachRow { row in
            ids[row.integer(at: 0), default: []].append(.integer(Int128(row.integer(at: 1))))
        }
        return ids
    }
}
