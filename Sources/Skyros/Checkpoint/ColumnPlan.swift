/// The columns of one table in the canonical order of their fields, ready for writing a
/// record's fields into them and for writing records out of them.
///
/// Both sides are sorted the same way, so records and rows are matched by one merge.
struct ColumnPlan: Sendable {
    struct Column: Sendable {
        /// Where the encoded key lies in `keys`.
        let key: Range<Int>
        let kind: ColumnKind
        /// The column's name in SQL.
        let name: String
    }

    /// The fields' names as canonical CBOR, one after the other.
    let keys: [UInt8]
    let columns: [Column]

    /// How many columns come before those of the fields in every statement: row, id, exact.
    static let fixedColumnCount: Int32 = 3

    init(_ columns: [TableLayout.Column]) {
        let encoded = columns.map { (key: CBORWriter.key($0.field), column: $0) }
        let sorted = encoded.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var keys: [UInt8] = []
        self.columns = sorted.map { key, column in
            keys += key
            let range = (keys.count - key.count)..<keys.count
            return Column(key: range, kind: column.kind, name: column.name)
        }
        self.keys = keys
    }
}

extension ColumnPlan {
    /// The parameter of an upsert for the column at `index`; parameters count from 1.
    @inline(__always)
    static func parameter(_ index: Int) -> Int32 {
        fixedColumnCount + 1 + Int32(truncatingIfNeeded: index)
    }

    /// The place in a row of the column at `index`; columns count from 0.
    @inline(__always)
    static func column(_ index: Int) -> Int32 {
        fixedColumnCount + Int32(truncatingIfNeeded: index)
    }

    /// Less than, equal to or greater than zero, as the key of the column at `index` stands to
    /// the key at `range` of `record`, in canonical order.
    @inline(__always)
    func compare(
        _ index: Int, with record: UnsafeRawBufferPointer, at range: Range<Int>
    ) -> Int {
        let own = columns[index].key
        return keys.withUnsafeBytes { keys in
            let key = UnsafeRawBufferPointer(rebasing: keys[own])
            return key.compare(UnsafeRawBufferPointer(rebasing: record[range]))
        }
    }

    /// Whether the key at `range` of `bytes` is that of the field `id`.
    @inline(__always)
    static func isIDKey(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        range.count == 3 && bytes[range.lowerBound] == 0x62
            && bytes[range.lowerBound + 1] == 0x69 && bytes[range.lowerBound + 2] == 0x64
    }

    /// Whether the column at `index` holds the field `id`.
    @inline(__always)
    func isIDColumn(_ index: Int) -> Bool {
        keys.withUnsafeBytes { Self.isIDKey($0, columns[index].key) }
    }

    /// Throws unless a key without a column is canonical and comes after the one before it.
    ///
    /// A key with a column equals that column's, and columns ascend: those need no look.
    static func check(
        _ key: Range<Int>, after previous: Range<Int>, in record: UnsafeRawBufferPointer
    ) throws(CBORError) {
        let bytes = UnsafeRawBufferPointer(rebasing: record[key])
        let before = UnsafeRawBufferPointer(rebasing: record[previous])
        guard before.compare(bytes) < 0 else {
            throw CBORError(.unsortedKeys, at: key.lowerBound)
        }
        var reader = CBORReader(bytes)
        guard CBORWriter.key(try reader.readText()).count == bytes.count else {
            throw CBORError(.unsortedKeys, at: key.lowerBound)
        }
    }
}

extension CBORWriter {
    /// A field's name as canonical CBOR.
    static func key(_ field: String) -> [UInt8] {
        var writer = CBORWriter(capacity: 32)
        writer.append(text: field)
        return writer.array
    }

    /// Puts the head of an item in front of the bytes from `offset` on. O(n) in those bytes.
    mutating func insertHead(_ type: CBORType, _ argument: Int, at offset: Int) {
        let bodyEnd = count
        appendHead(type, UInt64(argument))
        let size = count - bodyEnd
        let end = base + bodyEnd
        let body = base + offset
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { head in
            // A head has nine bytes at most.
            guard let head = head.baseAddress else { return }
            head.copyMemory(from: end, byteCount: size)
            (body + size).copyMemory(from: body, byteCount: bodyEnd - offset)
            body.copyMemory(from: head, byteCount: size)
        }
    }
}
