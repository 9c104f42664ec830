import SkyrosSQLite

/// Writes the rows of one entity in a transaction, and updates the table's totals.
///
/// A row that is overwritten or deleted is read first, and subtracted from the totals. A row whose
/// number is above all others is new, as is every row of the first checkpoint.
///
/// Discard the writer after a failed transaction: its totals count rows that were rolled back.
final class TableWriter {
    /// The entity with the columns and the totals that the table has now.
    private(set) var entity: TableLayout.Entity
    private let connection: Connection
    /// The statements of the table; nil until it exists.
    private var statements: TableStatements?
    private var highestRow: Int64?
    private var hasher: StateDigest.RecordHasher
    private var reader: RowReader

    /// Makes a writer of the entity's table; the first row creates it unless it `exists`.
    init(
        _ entity: TableLayout.Entity, exists: Bool, on connection: Connection
    ) throws(SQLiteError) {
        self.entity = entity
        self.connection = connection
        hasher = StateDigest.RecordHasher(entity: entity.name)
        reader = RowReader(entity: entity.name)
        guard exists else { return }
        statements = try TableStatements(entity, on: connection)
        highestRow = try connection.prepare(entity.highestRowSQL).single { row in
            row.isNull(at: 0) ? nil : row.integer(at: 0)
        }.flatMap(\.self)
    }

    var tableExists: Bool { statements != nil }

    /// Deletes every row.
    func clear() throws(SQLiteError) {
        guard tableExists else { return }
        try connection.execute(entity.clearSQL)
        entity.digest = TableDigest()
        highestRow = nil
    }

    /// Deletes a row; does nothing if there is none with this number.
    func delete(_ number: Int64) throws {
        guard let statements, try subtract(number) else { return }
        try statements.delete.bind(integer: number, at: 1)
        try statements.delete.run()
    }

    /// Writes a row; replaces a row with the same number.
    func upsert(_ row: CheckpointRow) throws {
        if let highestRow, row.number <= highestRow { _ = try subtract(row.number) }
        let state = hasher.hash(id: row.id, record: row.record)
        do {
            while try !bind(row, state) { try addColumns(for: row.record) }
        } catch let error as CBORError {
            throw CheckpointError.invalidRecord(
                entity: entity.name, row: row.number, reason: error.description)
        }
        try statements?.upsert.run()
        entity.digest.add(row, state)
        highestRow = max(highestRow ?? row.number, row.number)
    }

    /// Binds all parameters for a row; false if a field that has a value has no column.
    private func bind(_ row: CheckpointRow, _ state: StateDigest) throws -> Bool {
        guard let statements else { return false }
        let (upsert, plan) = (statements.upsert, statements.plan)
        var bytesLeft = ColumnValue.rowBytesMax
        let isCovered = try plan.spread(row.record) { index, value in
            let kind = plan.columns[index].kind
            try ColumnValue.shown(value, of: row.record, in: kind, within: &bytesLeft)
                .bind(to: upsert, at: ColumnPlan.column(index) + 1)
        }
        guard isCovered || entity.columns.count >= TableLayout.columnCountMax else { return false }
        try upsert.bind(integer: row.number, at: 1)
        try upsert.bind(integer: Int64(bitPattern: row.sequence), at: 2)
        try upsert.bind(integer: Int64(row.version), at: 3)
        try upsert.bind(integer: Int64(bitPattern: state.sum0), at: 4)
        if let ownID = try row.record.ownID, row.record.equals(row.id, at: ownID) {
            try upsert.bindNull(at: 5)
        } else {
            try upsert.bind(blob: row.id, at: 5, .borrowed)
        }
        try upsert.bind(blob: row.record, at: 6, .borrowed)
        return true
    }

    /// Subtracts a row from the totals; returns false if there is none with this number.
    private func subtract(_ number: Int64) throws -> Bool {
        guard let statements else { return false }
        try statements.select.bind(integer: number, at: 1)
        defer { statements.select.reset() }
        guard try statements.select.step() else { return false }
        let (row, state) = try reader.read(statements.select)
        entity.digest.remove(row, state)
        return true
    }

    /// Adds a column for every field of `record` that has a value and no column, up to the limit.
    /// Creates the table the first time.
    private func addColumns(for record: UnsafeRawBufferPointer) throws {
        let countBefore = entity.columns.count
        try entity.addColumns(for: record)
        if tableExists {
            for column in entity.columns.dropFirst(countBefore) {
                try connection.execute(entity.addSQL(column))
            }
        } else {
            try connection.execute(entity.createSQL)
        }
        statements = try TableStatements(entity, on: connection)
    }
}

extension TableLayout.Entity {
    /// Adds a column for every field of `record` that has a value and no column, up to the limit.
    mutating func addColumns(for record: UnsafeRawBufferPointer) throws(CBORError) {
        var known = Set(columns.map { Array($0.field.utf8) })
        var fields = try MapEntries(record)
        while let field = try fields.next() {
            guard columns.count < TableLayout.columnCountMax else { return }
            let value = UnsafeRawBufferPointer(rebasing: record[field.value])
            let kind: ColumnKind?
            do { kind = try ColumnKind(decidedBy: value) } catch { kind = .json }
            guard let kind, known.insert(Array(record[field.key])).inserted else { continue }
            var reader = CBORReader(record, at: field.start)
            addColumn(try reader.readText(), kind: kind)
        }
    }
}

/// The statements of one table, compiled for its current columns.
private struct TableStatements {
    let plan: ColumnPlan
    let upsert: Statement
    let select: Statement
    let delete: Statement

    init(_ entity: TableLayout.Entity, on connection: Connection) throws(SQLiteError) {
        plan = ColumnPlan(entity.columns)
        upsert = try connection.prepare(entity.upsertSQL(plan))
        select = try connection.prepare(entity.selectOneSQL)
        delete = try connection.prepare(entity.deleteSQL)
    }
}
