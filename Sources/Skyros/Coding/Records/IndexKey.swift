/// Order-preserving bytes of one or several fields of a record.
///
/// Index keys are compared byte by byte, and the order is that of the values: they are made
/// from a record's stored bytes, without decoding them into Swift types.
///
///     let key = try IndexKey.make(fields: ["cuisine", "stars"], record: bytes)
///
/// Each field adds a component, a rank byte and a payload:
///
/// | value | component |
/// |---|---|
/// | absent, null | `00` |
/// | false, true | `01`, `02` |
/// | number | `10`, 8 bytes: the float rounded down, sortable; n; n bytes: what is left of it |
/// | NaN | `11` |
/// | text | `20`, its UTF-8 in normal form C, escaped, `00` |
/// | bytes | `21`, escaped, `00` |
/// | UUID | `30`, 16 bytes |
/// | date | `31`, 8 bytes: its float, sortable |
/// | date whose float is NaN | `32` |
/// | anything else | `40`, its canonical CBOR, escaped, `00`: equality only |
///
/// Integers and floats of equal value have equal components. Text is in the order that Swift's
/// `<` is meant to have, of the Unicode scalars in normal form C, and equal where Swift's `==`
/// is true. (Swift 6.3 errs where a text in another form ends: of "e\u{301}" and "\u{E9}b" it
/// finds neither less.) Escaping writes 00 as `01 01` and 01 as `01 02`, so
/// that no component is the beginning of another one. Integers beyond 128 bits count as
/// "anything else".
package enum IndexKey {
    enum Rank {
        static let null: UInt8 = 0x00
        static let `false`: UInt8 = 0x01
        static let `true`: UInt8 = 0x02
        static let number: UInt8 = 0x10
        static let nan: UInt8 = 0x11
        static let text: UInt8 = 0x20
        static let bytes: UInt8 = 0x21
        static let uuid: UInt8 = 0x30
        static let date: UInt8 = 0x31
        static let noDate: UInt8 = 0x32
        static let other: UInt8 = 0x40
    }

    /// A key, and whether all its values are those that the fields expect.
    struct Checked {
        let key: ByteString
        let isExpected: Bool
    }

    /// The key of a record, which is a canonical map. O(n) in the record's bytes.
    package static func make(
        fields: [IndexField], record: UnsafeRawBufferPointer
    ) throws(CBORError) -> ByteString {
        try makeChecked(fields: fields, record: record).key
    }

    static func makeChecked(
        fields: [IndexField], record: UnsafeRawBufferPointer
    ) throws(CBORError) -> Checked {
        var builder = Builder()
        if fields.count == 1 {
            let value = try find(fields[0], in: record)
            try builder.append(value, of: record, for: fields[0])
            return Checked(key: builder.key, isExpected: builder.isExpected)
        }
        var failure: CBORError?
        withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: fields.count) { values in
            // An empty range stands for a field that the record does not have.
            values.initialize(repeating: 0..<0)
            do throws(CBORError) {
                try find(fields, in: record, values)
                for index in fields.indices {
                    try builder.append(values[index], of: record, for: fields[index])
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return Checked(key: builder.key, isExpected: builder.isExpected)
    }

    private static func find(
        _ field: IndexField, in record: UnsafeRawBufferPointer
    ) throws(CBORError) -> Range<Int> {
        var reader = CBORReader(record)
        for _ in 0..<(try reader.readMapHead()) {
            let key = try reader.readKey()
            // Keys are in order: this one and all others come too late.
            if key.word > field.word { break }
            let value = try reader.skipValue(depth: 1)
            if field.matches(key, in: record) { return value }
        }
        return 0..<0
    }

    private static func find(
        _ fields: [IndexField], in record: UnsafeRawBufferPointer,
        _ values: UnsafeMutableBufferPointer<Range<Int>>
    ) throws(CBORError) {
        var lastWord: UInt64 = 0
        for field in fields { lastWord = max(lastWord, field.word) }
        var reader = CBORReader(record)
        for _ in 0..<(try reader.readMapHead()) {
            let key = try reader.readKey()
            if key.word > lastWord { break }
            let value = try reader.skipValue(depth: 1)
            for index in 0..<values.count where fields[index].matches(key, in: record) {
                values[index] = value
            }
        }
    }

    /// The component of one value; nil if it cannot be encoded.
    static func component(of value: some Encodable) -> ByteString? {
        var builder = Builder()
        do {
            try CBOREncoder().withEncoded(value) { try builder.append(0..<$0.count, of: $0) }
        } catch {
            return nil
        }
        return builder.key
    }

    /// Appends the component of one value, given as its CBOR, to the beginning of a key.
    ///
    /// For bounds of a search: `make` of the same values gives the same bytes.
    package static func append(
        _ value: UnsafeRawBufferPointer, to key: ByteString
    ) throws(CBORError) -> ByteString {
        var builder = Builder()
        key.withUnsafeBytes { builder.bytes.append(raw: $0) }
        try builder.append(0..<value.count, of: value)
        return builder.key
    }

    /// The smallest string that is greater than every string that begins with `prefix`; nil
    /// if there is none, that is, if the prefix consists of bytes FF only.
    package static func upperBound(ofPrefix prefix: ByteString) -> ByteString? {
        var bytes = prefix.array
        while let last = bytes.popLast() {
            if last < 0xFF {
                bytes.append(last + 1)
                return ByteString(bytes)
            }
        }
        return nil
    }
}
