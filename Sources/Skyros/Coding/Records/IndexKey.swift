/// Order-preserving bytes of one or several fields of a record.
///
/// Index keys are compared byte by byte, and have the order of the values. They are made from a
/// record's stored bytes, without decoding them into Swift types.
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
/// Integers and floats of equal value have equal components. Texts have equal components if Swift's
/// `==` is true. Escaping writes 00 as `01 01` and 01 as `01 02`, so that no component is the
/// beginning of another one. Integers beyond 128 bits count as "anything else".
///
/// A key is *regular* if every text in it is in normal form C, and no date is NaN. Among regular
/// keys the order is that of the values: of texts by their UTF-8 as well as by Swift's `<`. Of
/// other texts the two differ, and Swift 6.3 errs where they end: neither of "e\u{301}" and
/// "\u{E9}b" is less. A date that is NaN is at most and at least every other date in Swift.
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

    /// A key, and what is known of its values.
    struct Checked {
        let key: ByteString
        /// Whether all of them are those that the fields expect, and equal where Swift's are.
        let isExpected: Bool
        /// Whether the key has their order: there is no text that is not in normal form C, and no
        /// date that is NaN.
        let isRegular: Bool
        /// Whether none of them is null or absent.
        let isComplete: Bool
        /// Whether they are those of an older shape, because the steps to the newest one fail.
        var hasFailed = false
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
        try fields.withUnsafeBufferPointer { fields throws(CBORError) in
            try withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: fields.count) {
                values throws(CBORError) in
                // An empty range means that the record lacks the field.
                values.initialize(repeating: 0..<0)
                try find(fields, in: record, values)
                for index in 0..<fields.count {
                    try builder.append(values[index], of: record, fields[index].expected)
                }
            }
        }
        return Checked(
            key: builder.key, isExpected: builder.isExpected, isRegular: builder.isRegular,
            isComplete: builder.isComplete)
    }

    @inline(__always)
    private static func find(
        _ fields: UnsafeBufferPointer<IndexField>, in record: UnsafeRawBufferPointer,
        _ values: UnsafeMutableBufferPointer<Range<Int>>
    ) throws(CBORError) {
        var lastWord: UInt64 = 0
        for index in 0..<fields.count { lastWord = max(lastWord, fields[index].word) }
        var reader = CBORReader(record)
        for _ in 0..<(try reader.readMapHead()) {
            let field = try reader.readField(depth: 1)
            // Keys are in order: neither this one nor a later one can match.
            if field.key.word > lastWord { break }
            for index in 0..<fields.count where fields[index].word == field.key.word {
                if fields[index].matches(field.key, in: record) { values[index] = field.value }
            }
        }
    }

    /// The component of one value; nil if it cannot be encoded.
    static func component(of value: some Encodable) -> Checked? {
        var builder = Builder()
        do {
            try CBOREncoder().withEncoded(value) { try builder.append(0..<$0.count, of: $0) }
        } catch {
            return nil
        }
        return Checked(
            key: builder.key, isExpected: builder.isExpected, isRegular: builder.isRegular,
            isComplete: builder.isComplete)
    }

    /// Appends the component of one value, given as its CBOR, to the beginning of a key.
    ///
    /// For bounds of a search: `make` gives the same bytes for the same values.
    package static func append(
        _ value: UnsafeRawBufferPointer, to key: ByteString
    ) throws(CBORError) -> ByteString {
        var builder = Builder()
        key.withUnsafeBytes { builder.bytes.append(raw: $0) }
        try builder.append(0..<value.count, of: value)
        return builder.key
    }

    /// The smallest key that is greater than every key that begins with `prefix`; empty if there is
    /// none, because the prefix consists of bytes FF only.
    static func upperBound(ofPrefix prefix: [UInt8]) -> [UInt8] {
        var bytes = prefix
        while let last = bytes.popLast() {
            if last < 0xFF { return bytes + [last + 1] }
        }
        return []
    }
}
