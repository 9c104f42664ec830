import SkyrosSQLite

/// Writes the records of one table back out of its rows, one after the other.
///
/// It checks what it reads, as the bytes come from a disk: every column must hold what its kind
/// says. Whether all of it is what was once written is for the digest to say.
struct RowReader: ~Copyable {
    let plan: ColumnPlan
    let entity: String
    /// The number of the row that was read last.
    private(set) var number: Int64 = 0
    /// The record of that row.
    var record = CBORWriter(capacity: 1024)
    /// The id, where it is not the value of the field `id`.
    private var foreignID = CBORWriter(capacity: 64)
    /// Where the value of the field `id` lies in `record`; empty if there is none.
    private var ownID = 0..<0
    private var hasher = StateDigest.RecordHasher()

    init(_ plan: ColumnPlan, entity: String) {
        self.plan = plan
        self.entity = entity
    }

    /// Takes in the row that `row` stands at. O(size of the row).
    ///
    /// - Throws: `corrupt` when the row holds what was never written.
    mutating func read(_ row: Statement) throws(CheckpointError) {
        record.removeAll()
        foreignID.removeAll()
        ownID = 0..<0
        number = row.integer(at: 0)
        let fieldCount = try row.isNull(at: 2) ? appendColumns(row) : appendMerged(row)
        let bytesBefore = record.count
        record.insertHead(.map, fieldCount, at: 0)
        let shift = record.count - bytesBefore
        if !ownID.isEmpty { ownID = (ownID.lowerBound + shift)..<(ownID.upperBound + shift) }
        try readID(row)
    }

    /// The digest of the row that was read last. O(size of the row).
    mutating func digest() -> StateDigest {
        let id = withID { RecordID(ByteString($0)) }
        return record.withUnsafeBytes { hasher.hash(entity: entity, id: id, record: $0) }
    }

    /// Calls `body` with the id and the record of the row that was read last; they are valid
    /// for the call only.
    borrowing func withRow<R>(
        _ body: (_ id: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        try withID { id in try record.withUnsafeBytes { try body(id, $0) } }
    }

    private borrowing func withID<R>(
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        if ownID.isEmpty { return try foreignID.withUnsafeBytes { try body($0) } }
        return try record.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[ownID]))
        }
    }

    private mutating func readID(_ row: Statement) throws(CheckpointError) {
        switch row.storageType(at: 1) {
        case .null:
            guard ownID.isEmpty else { return }
            throw damage("there is neither _id nor a field id")
        case .blob:
            let id = row.bytes(at: 1)
            var reader = CBORReader(id)
            guard (try? reader.skipValue()) != nil, reader.isAtEnd else {
                throw damage("_id is not one CBOR item")
            }
            foreignID.append(raw: id)
            ownID = 0..<0
        default: throw damage("_id is no BLOB")
        }
    }

    /// Appends every field that has a column; returns their number.
    private mutating func appendColumns(_ row: Statement) throws(CheckpointError) -> Int {
        var count = 0
        for index in plan.columns.indices {
            if try appendField(row, at: index) { count += 1 }
        }
        return count
    }

    /// Appends the key and the value of the column at `index`; false when it is NULL.
    @inline(__always)
    private mutating func appendField(
        _ row: Statement, at index: Int
    ) throws(CheckpointError) -> Bool {
        let column = ColumnPlan.column(index)
        let type = row.storageType(at: column)
        if case .null = type { return false }
        let key = plan.columns[index].key
        plan.keys.withUnsafeBytes {
            record.append(raw: UnsafeRawBufferPointer(rebasing: $0[key]))
        }
        let start = record.count
        guard appendValue(row, type, at: column, plan.columns[index].kind) else {
            let column = plan.columns[index]
            throw damage("column \(column.name) holds no \(column.kind.rawValue)")
        }
        if plan.isIDColumn(index) { ownID = start..<record.count }
        return true
    }

    /// Appends the fields of the columns and of `_exact`, which wins, in canonical order;
    /// returns their number.
    private mutating func appendMerged(_ row: Statement) throws(CheckpointError) -> Int {
        guard case .blob = row.storageType(at: 2) else { throw damage("_exact is no BLOB") }
        // Rows with `_exact` are the exception, so a copy that is easy to handle is fine.
        let exact = [UInt8](row.bytes(at: 2))
        let fields = try exactFields(exact)
        var count = fields.count
        var index = 0
        for field in fields {
            let key = field.start..<field.key.upperBound
            var order = -1
            while index < plan.columns.count {
                order = exact.withUnsafeBytes { plan.compare(index, with: $0, at: key) }
                if order >= 0 { break }
                if try appendField(row, at: index) { count += 1 }
                index += 1
            }
            if index < plan.columns.count, order == 0 { index += 1 }
            let start = record.count + key.count
            exact.withUnsafeBytes {
                record.append(raw: UnsafeRawBufferPointer(rebasing: $0[field.range]))
            }
            let isID = exact.withUnsafeBytes { ColumnPlan.isIDKey($0, key) }
            if isID { ownID = start..<record.count }
        }
        for index in index..<plan.columns.count {
            if try appendField(row, at: index) { count += 1 }
        }
        return count
    }

    /// The fields of `_exact`, whose keys must be canonical and ascend.
    private func exactFields(_ exact: [UInt8]) throws(CheckpointError) -> [CBORField] {
        do {
            return try exact.withUnsafeBytes { bytes in
                var result: [CBORField] = []
                var previous = 0..<0
                var fields = try MapEntries(bytes)
                while let field = try fields.next() {
                    let key = field.start..<field.key.upperBound
                    try ColumnPlan.check(key, after: previous, in: bytes)
                    result.append(field)
                    previous = key
                }
                try fields.reader.finish()
                return result
            }
        } catch {
            throw damage("_exact is damaged: \(error)")
        }
    }

    func damage(_ description: String) -> CheckpointError {
        .damage(description, entity: entity, row: number)
    }
}
