/// The columns of one table in the canonical order of their fields.
///
/// The fields of a record are in the same order, so one merge finds the column of each field.
struct ColumnPlan: Sendable {
    struct Column: Sendable {
        /// The place of the encoded key in `keys`.
        let key: Range<Int>
        let kind: ColumnKind
        /// The column's name in SQL.
        let name: String
    }

    /// The fields' names as canonical CBOR, one after the other.
    private let keys: [UInt8]
    let columns: [Column]

    /// The number of columns before those of the fields: see `TableLayout.Entity.fixedColumns`.
    static let fixedColumnCount: Int32 = 6

    init(_ columns: [TableLayout.Column]) {
        let encoded = columns.map { column in
            var writer = CBORWriter(capacity: 32)
            writer.append(text: column.field)
            return (key: writer.array, column: column)
        }
        let sorted = encoded.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var keys: [UInt8] = []
        self.columns = sorted.map { key, column in
            keys += key
            let range = (keys.count - key.count)..<keys.count
            return Column(key: range, kind: column.kind, name: column.name)
        }
        self.keys = keys
    }

    /// The position in a row of the column at `index`, from 0.
    @inline(__always)
    static func column(_ index: Int) -> Int32 {
        fixedColumnCount + Int32(truncatingIfNeeded: index)
    }

    /// Calls `body` once for each column, in order, with the encoded value of its field; with nil
    /// if the record has no such field.
    ///
    /// - Returns: whether each field that is not null has a column.
    /// - Throws: `CBORError` when `record` is not a map with ascending keys; what `body` throws.
    @inline(__always)
    func spread(
        _ record: UnsafeRawBufferPointer,
        _ body: (_ index: Int, _ value: UnsafeRawBufferPointer?) throws -> Void
    ) throws -> Bool {
        var isCovered = true
        var previous = 0..<0
        var index = 0
        var fields = try MapEntries(record)
        while let field = try fields.next() {
            let key = field.start..<field.key.upperBound
            var order = -1
            while index < columns.count {
                order = compare(index, with: record, at: key)
                if order >= 0 { break }
                try body(index, nil)
                index += 1
            }
            if index < columns.count, order == 0 {
                try body(index, UnsafeRawBufferPointer(rebasing: record[field.value]))
                index += 1
            } else {
                try Self.check(key, after: previous, in: record)
                if record[field.value.lowerBound] != CBORFormat.Byte.null { isCovered = false }
            }
            previous = key
        }
        try fields.reader.finish()
        for index in index..<columns.count { try body(index, nil) }
        return isCovered
    }

    /// Less than, equal to or greater than zero, as the key of the column at `index` compares
    /// with the key at `range` of `record`, in canonical order.
    @inline(__always)
    private func compare(
        _ index: Int, with record: UnsafeRawBufferPointer, at range: Range<Int>
    ) -> Int {
        let own = columns[index].key
        return keys.withUnsafeBytes { keys in
            let key = UnsafeRawBufferPointer(rebasing: keys[own])
            return key.compare(UnsafeRawBufferPointer(rebasing: record[range]))
        }
    }

    /// Throws unless a key without a column is canonical and comes after the one before it.
    ///
    /// A key with a column needs no check: it equals the column's key, and columns ascend.
    private static func check(
        _ key: Range<Int>, after previous: Range<Int>, in record: UnsafeRawBufferPointer
    ) throws(CBORError) {
        let bytes = UnsafeRawBufferPointer(rebasing: record[key])
        let before = UnsafeRawBufferPointer(rebasing: record[previous])
        guard before.compare(bytes) < 0 else {
            throw CBORError(.unsortedKeys, at: key.lowerBound)
        }
        var reader = CBORReader(bytes)
        var canonical = CBORWriter(capacity: 32)
        canonical.append(text: try reader.readText())
        guard canonical.count == bytes.count else {
            throw CBORError(.unsortedKeys, at: key.lowerBound)
        }
    }
}
