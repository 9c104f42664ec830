import SkyrosSQLite

/// Writes the rows of one entity inside of a transaction, and keeps count and digest up to date.
///
/// What is overwritten or deleted is read back first, as its part of the digest has to go. A
/// row whose number is above all others needs no look, which is every row of a first write.
///
/// After a transaction that failed it must not be used any more: it has seen rows that are not
/// there.
final class TableWriter {
    /// The entity with the columns, the count and the digest that the table has now.
    private(set) var entity: TableLayout.Entity
    private let connection: Connection
    /// Nil as long as there is no table.
    private var statements: TableStatements?
    private var highestRow: Int64?

    /// - Parameter exists: whether the table is there; if not, the first row creates it.
    init(
        _ entity: TableLayout.Entity, exists: Bool, on connection: Connection
    ) throws(SQLiteError) {
        self.entity = entity
        self.connection = connection
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
        entity.tally = TableDigest()
        highestRow = nil
    }

    /// Deletes a row; nothing happens when there is none of this number.
    func delete(_ number: Int64) throws {
        guard let statements, try subtract(number) else { return }
        try statements.delete.bind(integer: number, at: 1)
        try statements.delete.run()
    }

    /// Writes a row, over the one of the same number if there is one.
    func upsert(
        _ number: Int64, id: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer
    ) throws {
        if let highestRow, number <= highestRow { _ = try subtract(number) }
        while try !bind(number, id, record) { try addColumns(for: record, in: number) }
        guard let statements else { return }
        try statements.upsert.run()
        entity.tally.add(number, id: id, statements.digest(entity.name, id, record))
        highestRow = max(highestRow ?? number, number)
    }

    private func bind(
        _ number: Int64, _ id: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer
    ) throws -> Bool {
        guard let statements else { return false }
        let isFull = entity.columns.count >= TableLayout.columnCountMax
        return try statements.binder.bind(
            number, id, record, to: statements.upsert, isFull: isFull)
    }

    /// Takes a row out of count and digest; false when there is none of this number.
    private func subtract(_ number: Int64) throws -> Bool {
        guard let statements else { return false }
        try statements.select.bind(integer: number, at: 1)
        defer { statements.select.reset() }
        guard try statements.select.step() else { return false }
        try statements.reader.read(statements.select)
        let digest = statements.reader.digest()
        statements.reader.withRow { id, _ in entity.tally.remove(number, id: id, digest) }
        return true
    }

    /// Gives every field of `record` that has a value a column, as long as there is room; the
    /// first time, creates the table with them.
    private func addColumns(for record: UnsafeRawBufferPointer, in row: Int64) throws {
        let countBefore = entity.columns.count
        do throws(CBORError) {
            try entity.addColumns(for: record)
        } catch {
            throw CheckpointError.invalidRecord(
                entity: entity.name, row: row, reason: error.description)
        }
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
    fileprivate mutating func addColumns(for record: UnsafeRawBufferPointer) throws(CBORError) {
        var known = Set(columns.map { Array($0.field.utf8) })
        var fields = try MapEntries(record)
        while let field = try fields.next() {
            guard columns.count < TableLayout.columnCountMax else { return }
            let value = UnsafeRawBufferPointer(rebasing: record[field.value])
            guard let kind = try ColumnKind(decidedBy: value),
                known.insert(Array(record[field.key])).inserted
            else { continue }
            var reader = CBORReader(record, at: field.start)
            addColumn(try reader.readText(), kind: kind)
        }
    }
}

/// The statements of one table, compiled for the columns that it has now.
final class TableStatements {
    let upsert: Statement
    let select: Statement
    let delete: Statement
    var binder: RowBinder
    var reader: RowReader
    private var hasher = StateDigest.RecordHasher()

    init(_ entity: TableLayout.Entity, on connection: Connection) throws(SQLiteError) {
        let plan = ColumnPlan(entity.columns)
        upsert = try connection.prepare(entity.upsertSQL(plan))
        select = try connection.prepare(entity.selectSQL(plan, oneRow: true))
        delete = try connection.prepare(entity.deleteSQL)
        binder = RowBinder(plan, entity: entity.name)
        reader = RowReader(plan, entity: entity.name)
    }

    func digest(
        _ entity: String, _ id: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer
    ) -> StateDigest {
        hasher.hash(entity: entity, id: RecordID(ByteString(id)), record: record)
    }
}
