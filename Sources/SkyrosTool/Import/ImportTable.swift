import Skyros
import SkyrosSQLite

/// How the rows of a table become records.
struct ImportTable {
    /// A column that becomes a field.
    struct Column {
        let field: String
        /// The kind of its values, if the schema tells.
        let kind: FieldKind?
    }

    let name: String
    private(set) var entity: String
    /// Selects the parts of the id, and then the columns.
    let sql: String
    let idCount: Int
    /// The field that holds the id.
    let idField: String
    /// Whether no column is this field.
    let addsID: Bool
    let columns: [Column]
    /// Lists of ids by field, and by the number of the row: those of Core Data's relationships.
    var lists: [(field: String, ids: [Int64: [FieldValue]])] = []

    /// A table of any database.
    init(_ name: String, in connection: Connection) throws {
        var columns: [Column] = []
        var keys: [(order: Int64, column: String)] = []
        let info = try connection.prepare("PRAGMA table_info(\(Self.quoted(name)))")
        try info.forEachRow { row in
            let column = row.text(at: 1)
            let isBool = row.text(at: 2).uppercased().hasPrefix("BOOL")
            columns.append(Column(field: column, kind: isBool ? .bool : nil))
            if row.integer(at: 5) > 0 { keys.append((row.integer(at: 5), column)) }
        }
        keys.sort { $0.order < $1.order }
        let id = keys.isEmpty ? ["rowid"] : keys.map { Self.quoted($0.column) }
        self.init(
            name, entity: name, id: id, idField: keys.count == 1 ? keys[0].column : nil, columns,
            columns.map { Self.quoted($0.field) }, where: "")
    }

    /// - Parameter idField: the field of the id; nil if no column is it.
    init(
        _ name: String, entity: String, id: [String], idField: String?, _ columns: [Column],
        _ columnsSQL: [String], where condition: String
    ) {
        self.name = name
        self.entity = entity
        idCount = id.count
        self.idField = idField ?? "id"
        addsID = idField == nil
        self.columns = columns
        let order = id.joined(separator: ", ")
        sql =
            "SELECT \((id + columnsSQL).joined(separator: ", ")) FROM \(Self.quoted(name))"
            + condition + " ORDER BY \(order)"
    }

    func named(_ entity: String) -> ImportTable {
        var copy = self
        copy.entity = entity
        return copy
    }

    /// A name as an identifier in SQL text.
    static func quoted(_ name: String) -> String {
        "\"" + name.replacingScalars(["\"": "\"\""]) + "\""
    }

    /// The row at which the statement is.
    func row(_ row: Statement, _ place: String, _ names: FieldNames) throws -> ImportRow {
        var fields = NamedValues<FieldValue>()
        for (index, column) in columns.enumerated() {
            guard let value = row.value(at: Int32(idCount + index)) else { continue }
            // What is not of the declared kind stays as it is: SQLite allows that.
            fields[names.field(column.field)] = column.kind?.value(of: value) ?? value
        }
        let parts = (0..<Int32(idCount)).map { row.value(at: $0) ?? .null }
        let id = parts.count == 1 ? parts[0] : .array(parts)
        guard id != .null else { throw StoreError.input(place, "the primary key is NULL") }
        if addsID { fields[names.field(idField)] = id }
        for (field, ids) in lists {
            let found = id.integer.flatMap { ids[Int64($0)] } ?? []
            fields[names.field(field)] = .array(found)
        }
        return ImportRow(
            entity: entity, id: id, fields: fields, idField: names.field(idField), place: place)
    }
}
