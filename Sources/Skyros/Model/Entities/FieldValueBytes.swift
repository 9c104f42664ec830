import SkyrosLog

/// The encoded value of a field, which is not null.
struct FieldValueBytes: Equatable {
    private let bytes: UnsafeRawBufferPointer

    /// The value; nil if it is null.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first, first != CBORFormat.Byte.null else { return nil }
        self.bytes = bytes
    }

    /// The value of a record's field; nil if the record lacks the field, or if it is null.
    init?(of name: String, in record: UnsafeRawBufferPointer) throws(CBORError) {
        guard let range = try CBORReader.valueRange(of: name, inMap: record) else { return nil }
        self.init(UnsafeRawBufferPointer(rebasing: record[range]))
    }

    /// Whether the values are the same for an index, as 1 and 1.0 are.
    static func == (a: FieldValueBytes, b: FieldValueBytes) -> Bool {
        if a.bytes.count == b.bytes.count, a.bytes.compare(b.bytes) == 0 { return true }
        guard let left = try? a.component(), let right = try? b.component() else { return false }
        return left == right
    }

    private func component() throws(CBORError) -> ByteString {
        try IndexKey.append(bytes, to: ByteString([]))
    }

    /// The rank of the value in index keys.
    func rank() throws(CBORError) -> UInt8 {
        try component().withUnsafeBytes { $0.first ?? 0 }
    }

    /// The names of the fields of a record that have this value.
    func holders(in record: UnsafeRawBufferPointer) throws(CBORError) -> [String] {
        try Self.names(in: record) { $0 == self }
    }

    /// The names of all fields of a record.
    static func names(
        in record: UnsafeRawBufferPointer,
        where isWanted: (FieldValueBytes?) -> Bool = { _ in true }
    ) throws(CBORError) -> [String] {
        var names: [String] = []
        var entries = try MapEntries(record, at: 0)
        while let entry = try entries.next() {
            let value = FieldValueBytes(UnsafeRawBufferPointer(rebasing: record[entry.value]))
            guard isWanted(value) else { continue }
            var key = CBORReader(record, at: entry.start)
            names.append(try key.readText())
        }
        return names
    }
}
