/// The SQL of the tables of this layout.
///
/// SQLite stores the text of every CREATE TABLE, and extends it when a column is added. So the
/// schema of a file can be compared with these texts byte by byte.
extension TableLayout {
    /// "Skyr" in ASCII, at a fixed place in the header of the file.
    static let applicationID: Int64 = 0x536B_7972
    /// The version of the format.
    static let formatVersion: Int64 = 7

    static let metaTable = """
        CREATE TABLE _skyros(number INTEGER PRIMARY KEY, format INTEGER, store TEXT, \
        sequence INTEGER, chain TEXT, time INTEGER, digest TEXT, schema BLOB, \
        key_count INTEGER, key_content TEXT, keys_after INTEGER, keys_after_time INTEGER, \
        projection_count INTEGER, projection_content TEXT, seal TEXT)
        """
    static let entityTable = """
        CREATE TABLE _skyros_entities(number INTEGER PRIMARY KEY, entity TEXT, \
        table_name TEXT, row_count INTEGER, digest TEXT, content TEXT, indexes TEXT)
        """
    static let columnTable = """
        CREATE TABLE _skyros_columns(number INTEGER PRIMARY KEY, entity TEXT, field TEXT, \
        column_name TEXT, kind TEXT)
        """
    static let keyTable = """
        CREATE TABLE _skyros_keys(sequence INTEGER PRIMARY KEY, time INTEGER, key TEXT, \
        intent INTEGER)
        """
    static let projectionTable = """
        CREATE TABLE _skyros_projections(number INTEGER PRIMARY KEY, name TEXT, version INTEGER, \
        sequence INTEGER, value BLOB, failure_kind INTEGER, failed_at INTEGER, failure TEXT, \
        sum INTEGER)
        """

    /// The text of every table by its name, as bytes: Swift's strings are equal in cases where
    /// SQLite's names differ.
    var schema: [[UInt8]: [UInt8]] {
        var schema = Self.ownSchema
        for entity in entities { schema[Array(entity.table.utf8)] = Array(entity.createSQL.utf8) }
        return schema
    }

    /// The tables that describe the others, and those of the idempotency keys and projections.
    static var ownSchema: [[UInt8]: [UInt8]] {
        let tables = [
            "_skyros": metaTable, "_skyros_entities": entityTable, "_skyros_columns": columnTable,
            "_skyros_keys": keyTable, "_skyros_projections": projectionTable,
        ]
        let pairs = tables.map { (Array($0.key.utf8), Array($0.value.utf8)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

extension TableLayout.Entity {
    /// The columns of every table. They come before the typed columns, so that SQLite reads none
    /// of the pages into which a wide row overflows.
    static let fixedColumns: [(name: String, definition: String)] = [
        ("_row", "_row INTEGER PRIMARY KEY"), ("_sequence", "_sequence INTEGER"),
        ("_version", "_version INTEGER"), ("_sum", "_sum INTEGER"), ("_id", "_id BLOB"),
        ("_record", "_record BLOB"),
    ]

    private var quotedTable: String { SQLName.quoted(table) }

    var createSQL: String {
        let definitions = Self.fixedColumns.map(\.definition) + columns.map(\.definition)
        return "CREATE TABLE \(quotedTable)(" + definitions.joined(separator: ", ") + ")"
    }

    func addSQL(_ column: TableLayout.Column) -> String {
        "ALTER TABLE \(quotedTable) ADD COLUMN \(column.definition)"
    }

    /// Reads all rows without the typed columns.
    var selectSQL: String { "SELECT \(names()) FROM \(quotedTable) ORDER BY _row" }

    /// Reads the row whose number is the parameter, without the typed columns.
    var selectOneSQL: String { "SELECT \(names()) FROM \(quotedTable) WHERE _row = ?1" }

    /// Reads all rows with the typed columns, in the order of the plan.
    func selectAllSQL(_ plan: ColumnPlan) -> String {
        "SELECT \(names(plan)) FROM \(quotedTable) ORDER BY _row"
    }

    func upsertSQL(_ plan: ColumnPlan) -> String {
        let count = plan.columns.count + Int(ColumnPlan.fixedColumnCount)
        let parameters = (1...count).map { "?\($0)" }.joined(separator: ", ")
        return "INSERT OR REPLACE INTO \(quotedTable)(\(names(plan))) VALUES (\(parameters))"
    }

    var deleteSQL: String { "DELETE FROM \(quotedTable) WHERE _row = ?1" }
    var clearSQL: String { "DELETE FROM \(quotedTable)" }
    var highestRowSQL: String { "SELECT max(_row) FROM \(quotedTable)" }

    private func names(_ plan: ColumnPlan? = nil) -> String {
        let typed = plan?.columns.map { SQLName.quoted($0.name) } ?? []
        return (Self.fixedColumns.map(\.name) + typed).joined(separator: ", ")
    }
}

extension TableLayout.Column {
    /// The column as CREATE TABLE and ALTER TABLE spell it.
    fileprivate var definition: String { SQLName.quoted(name) + " " + kind.declaredType }
}
