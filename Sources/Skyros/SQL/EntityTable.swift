import SkyrosDisk
import SkyrosSQLite

/// The records of one entity as a table of SQL: the columns of the checkpoint, dates as ISO 8601.
///
/// It reads the rows of a snapshot where they are. What it makes in addition: the rows in the order
/// of their numbers, and an index of a column that a query looks up repeatedly.
final class EntityTable: VirtualTable {
    /// How a cursor finds its rows.
    enum Plan {
        case scan
        /// The row with a number.
        case row
        /// The rows that fulfil these conditions on a column; the operators of the values in order.
        case column(Int, [VirtualConstraint.Operator])
    }

    let columns: String
    let layout: TableLayout.Entity
    /// The columns in the order of the fields in records.
    let plan: ColumnPlan
    /// The place in `plan` of each column of the layout.
    let places: [Int]
    private let table: Table?
    /// The plans that were chosen, by their numbers.
    private(set) var plans: [Plan] = [.scan]
    /// The indexes that were made, by column.
    private var indexes: [Int: ColumnIndex] = [:]
    /// The columns that were looked up once.
    private var lookedUp: Set<Int> = []

    /// The rows in the order of their numbers, as in a checkpoint.
    private(set) lazy var rows: [Row] =
        table.map { table in
            table.rows.all().map { $0.takeUnretainedValue() }.sorted { $0.number < $1.number }
        } ?? []

    /// The columns before those of the fields: the row's number, its id and its record as CBOR.
    static let hiddenCount = 3

    init(_ layout: TableLayout.Entity, _ table: Table?) {
        self.layout = layout
        self.table = table
        plan = ColumnPlan(layout.columns)
        let order = plan.columns.enumerated().map { (Array($0.element.name.utf8), $0.offset) }
        let place = Dictionary(order) { first, _ in first }
        places = layout.columns.compactMap { place[Array($0.name.utf8)] }
        let hidden = ["_row INTEGER HIDDEN", "_id BLOB HIDDEN", "_record BLOB HIDDEN"]
        let typed = layout.columns.map { column in
            let type = column.kind == .date ? "TEXT" : column.kind.declaredType
            return "\(SQLName.quoted(column.name)) \(type)"
        }
        columns = (hidden + typed).joined(separator: ", ")
    }

    /// The fields of a row in the newest shape.
    func record(of row: Row) -> [UInt8] { table?.bytes(of: row) ?? row.bytes }

    func makeCursor() -> any VirtualCursor { EntityCursor(self) }

    func plan(_ constraints: [VirtualConstraint]) -> VirtualPlan {
        let count = table?.count ?? 0
        var best = VirtualPlan(
            number: 0, constraints: [], rowCount: count, cost: Double(count) + 1)
        for (index, constraint) in constraints.enumerated() {
            guard let found = plan(for: constraint, among: constraints, at: index),
                found.cost < best.cost
            else { continue }
            best = found
        }
        return best
    }

    private func plan(
        for constraint: VirtualConstraint, among constraints: [VirtualConstraint], at index: Int
    ) -> VirtualPlan? {
        guard let condition = constraint.operator else { return nil }
        if constraint.column <= 0 {
            guard condition == .equal else { return nil }
            return VirtualPlan(number: add(.row), constraints: [index], rowCount: 1, cost: 1)
        }
        let column = constraint.column - Self.hiddenCount
        guard column >= 0, isComparable(constraint, column) else { return nil }
        let count = max(1, table?.count ?? 0)
        if condition == .equal {
            let isID = layout.columns[column].field == "id"
            let rowCount = isID ? 1 : max(1, count / 20)
            return VirtualPlan(
                number: add(.column(column, [.equal])), constraints: [index], rowCount: rowCount,
                cost: Double(rowCount) + 10)
        }
        // Only an index of the store serves ranges: scanning costs less than making one.
        guard ownIndex(of: column) != nil, isNumeric(column) else { return nil }
        let bounds = constraints.indices.filter {
            constraints[$0].column == constraint.column && constraints[$0].operator != nil
        }
        return VirtualPlan(
            number: add(.column(column, bounds.compactMap { constraints[$0].operator })),
            constraints: bounds, rowCount: max(1, count / 4), cost: Double(count / 4) + 10)
    }

    private func add(_ plan: Plan) -> Int32 {
        plans.append(plan)
        return Int32(plans.count - 1)
    }

    /// Whether rows can be looked up by values of the column as SQL compares them.
    private func isComparable(_ constraint: VirtualConstraint, _ column: Int) -> Bool {
        isNumeric(column) || constraint.isBinary
    }

    private func isNumeric(_ column: Int) -> Bool {
        switch layout.columns[column].kind {
        case .integer, .real, .boolean: true
        case .text, .bytes, .uuid, .date, .url, .decimal, .json: false
        }
    }
}

extension EntityTable {
    /// Rows among which all are that fulfil the conditions; nil for all rows.
    func find(
        _ column: Int, _ conditions: [(VirtualConstraint.Operator, VirtualValue)]
    ) throws -> [Row]? {
        let kind = layout.columns[column].kind
        // Nothing compares with NULL, and no text or blob is compared without a conversion.
        for (_, value) in conditions {
            switch (value, isNumeric(column), kind) {
            case (.null, _, _): return []
            case (.integer, true, _), (.real, true, _): continue
            case (.text, false, let kind) where kind != .bytes: continue
            case (.blob, false, .bytes): continue
            default: return nil
            }
        }
        if let index = ownIndex(of: column),
            let rows = IndexLookup(index, kind).rows(conditions)
        {
            return rows
        }
        guard conditions.count == 1, conditions[0].0 == .equal else { return nil }
        return try index(of: column)?.positions(of: conditions[0].1).map { rows[$0] }
    }

    /// The index of the snapshot whose first field is that of the column.
    private func ownIndex(of column: Int) -> TableIndex? {
        let field = layout.columns[column].field
        return table?.indexes.first { index in
            index.isFaithful && !index.definition.isMultiValued
                && index.definition.fields.first?.isSameName(as: field) == true
                && IndexLookup.serves(index.definition, layout.columns[column].kind)
        }
    }

    /// The index of the column; nil for the first lookup, which a scan answers faster.
    private func index(of column: Int) throws -> ColumnIndex? {
        if let index = indexes[column] { return index }
        guard !lookedUp.insert(column).inserted else { return nil }
        let index = try ColumnIndex(self, at: places[column])
        indexes[column] = index
        return index
    }

    /// The row with this number, as an array.
    func row(_ number: Int64) -> [Row] {
        let index = rows.partitioningIndex { Int64($0.number) >= number }
        return index < rows.count && Int64(rows[index].number) == number ? [rows[index]] : []
    }
}
