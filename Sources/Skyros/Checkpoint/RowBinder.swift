import SkyrosSQLite

/// Spreads one record after the other over the parameters of an upsert.
///
/// A field goes to its column; where the column cannot give it back exactly, or where there is
/// none, it goes to `_exact` as well. Text and bytes are bound in place, so the record's memory
/// must stay as it is until the statement has run.
struct RowBinder: ~Copyable {
    private let plan: ColumnPlan
    private let entity: String
    /// The fields for `_exact`, encoded, without their map's head.
    private var exact = CBORWriter(capacity: 64)
    private var exactCount = 0
    /// Scratch for values that are bound in another form than they are stored.
    var text = CBORWriter(capacity: 64)

    init(_ plan: ColumnPlan, entity: String) {
        self.plan = plan
        self.entity = entity
    }

    /// Binds every parameter of `statement` for one row.
    ///
    /// - Parameter isFull: whether fields without a column go to `_exact` and need none.
    /// - Returns: false when the record has a field with a value and without a column, which
    ///   has to be added first.
    /// - Throws: `invalidRecord` when `record` is not a canonical map; `SQLiteError`.
    mutating func bind(
        _ number: Int64, _ id: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer,
        to statement: Statement, isFull: Bool
    ) throws -> Bool {
        exact.removeAll()
        exactCount = 0
        do {
            guard let ownID = try bindFields(of: record, to: statement, isFull: isFull) else {
                return false
            }
            try statement.bind(integer: number, at: 1)
            try bind(id: record.equals(id, at: ownID) ? nil : id, to: statement)
            try bindExact(to: statement)
            return true
        } catch let error as CBORError {
            throw CheckpointError.invalidRecord(
                entity: entity, row: number, reason: error.description)
        }
    }

    private func bind(id: UnsafeRawBufferPointer?, to statement: Statement) throws(SQLiteError) {
        guard let id else { return try statement.bindNull(at: 2) }
        try statement.bind(blob: id, at: 2, .borrowed)
    }

    private mutating func bindExact(to statement: Statement) throws(SQLiteError) {
        guard exactCount > 0 else { return try statement.bindNull(at: 3) }
        exact.insertHead(.map, exactCount, at: 0)
        try exact.withUnsafeBytes { (bytes) throws(SQLiteError) in
            try statement.bind(blob: bytes, at: 3, .copied)
        }
    }

    /// Merges the record's fields with the columns. Returns where the value of the field `id`
    /// lies, empty if there is none; nil if a column is missing.
    private mutating func bindFields(
        of record: UnsafeRawBufferPointer, to statement: Statement, isFull: Bool
    ) throws -> Range<Int>? {
        var id = 0..<0
        var previous = 0..<0
        var index = 0
        var fields = try MapEntries(record)
        while let field = try fields.next() {
            let key = field.start..<field.key.upperBound
            var order = -1
            while index < plan.columns.count {
                order = plan.compare(index, with: record, at: key)
                if order >= 0 { break }
                try statement.bindNull(at: ColumnPlan.parameter(index))
                index += 1
            }
            if index < plan.columns.count, order == 0 {
                try bind(field, of: record, to: statement, at: index)
                index += 1
            } else {
                try ColumnPlan.check(key, after: previous, in: record)
                let isNull = record[field.value.lowerBound] == CBORFormat.Byte.null
                guard isFull || isNull else { return nil }
                keep(field, of: record)
            }
            if ColumnPlan.isIDKey(record, key) { id = field.value }
            previous = key
        }
        try fields.reader.finish()
        for index in index..<plan.columns.count {
            try statement.bindNull(at: ColumnPlan.parameter(index))
        }
        return id
    }

    /// Binds a field to its column, and keeps it for `_exact` too if the column is not enough.
    @inline(__always)
    private mutating func bind(
        _ field: CBORField, of record: UnsafeRawBufferPointer, to statement: Statement,
        at index: Int
    ) throws {
        let value = UnsafeRawBufferPointer(rebasing: record[field.value])
        let kind = plan.columns[index].kind
        let parameter = ColumnPlan.parameter(index)
        if try !bind(value, as: kind, to: statement, at: parameter) {
            keep(field, of: record)
            try DisplayValue(of: value, for: kind).bind(to: statement, at: parameter)
        }
    }

    private mutating func keep(_ field: CBORField, of record: UnsafeRawBufferPointer) {
        exact.append(raw: UnsafeRawBufferPointer(rebasing: record[field.range]))
        exactCount += 1
    }
}
