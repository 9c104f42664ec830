/// The tables and columns of a checkpoint, and the totals of their rows.
///
/// A transaction works on a copy, which becomes the current layout at the commit.
struct TableLayout: Hashable, Sendable {
    struct Column: Hashable, Sendable {
        /// The field's name in the records.
        let field: String
        /// The column's name in SQL.
        let name: String
        let kind: ColumnKind
    }

    struct Entity: Hashable, Sendable {
        /// The entity's name in the records.
        let name: String
        /// The table's name in SQL.
        var table: String
        /// The columns, in the order in which their fields first appeared.
        var columns: [Column] = []
        /// The totals of the entity's rows.
        var digest = TableDigest()
        /// The fields of each index that the app declared when it wrote the checkpoint.
        var indexes: [[String]] = []
    }

    /// The entities, in the order in which they first appeared.
    var entities: [Entity] = []

    /// Further fields have no column; SQLite's own limit is 2,000 columns by default.
    static let columnCountMax = 500

    /// The digest over the rows of all entities.
    var digest: StateDigest {
        entities.reduce(into: StateDigest()) { $0.add($1.digest.state) }
    }

    /// The same tables, empty.
    var withoutRows: TableLayout {
        var layout = self
        for index in layout.entities.indices { layout.entities[index].digest = TableDigest() }
        return layout
    }

    /// The number of rows in all tables together.
    var rowCount: Int { entities.reduce(0) { $0 + $1.digest.rowCount } }

    /// The number of columns for fields in all tables together.
    var columnCount: Int { entities.reduce(0) { $0 + $1.columns.count } }

    /// The index of the entity whose name has the same bytes; `==` on strings would also accept
    /// canonically equivalent names.
    func index(ofEntity name: String) -> Int? {
        entities.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Adds an entity without columns and returns its index.
    mutating func addEntity(_ name: String) -> Int {
        let taken = Set(entities.map { SQLName.folded($0.table) })
        let table = SQLName.unused(for: name, taken: taken, isReserved: SQLName.isReservedTable)
        entities.append(Entity(name: name, table: table))
        return entities.count - 1
    }
}

extension TableLayout.Entity {
    /// Gives columns other kinds; returns whether one had another kind before.
    mutating func retypeColumns(_ kinds: NamedValues<ColumnKind>) -> Bool {
        var isChanged = false
        for (index, column) in columns.enumerated() {
            guard let kind = kinds[column.field], kind != column.kind else { continue }
            columns[index] = TableLayout.Column(
                field: column.field, name: column.name, kind: kind)
            isChanged = true
        }
        return isChanged
    }

    /// Adds a column for a field that has none.
    mutating func addColumn(_ field: String, kind: ColumnKind) {
        let taken = Set(columns.map { SQLName.folded($0.name) })
        let name = SQLName.unused(for: field, taken: taken, isReserved: SQLName.isReservedColumn)
        columns.append(TableLayout.Column(field: field, name: name, kind: kind))
    }
}
