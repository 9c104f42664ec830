import Foundation

/// Order-preserving bytes of some fields of a record: what indexes compare.
///
/// A key is one component a field. A component is a byte for the kind of the value, then bytes
/// whose order is the order of the values:
///
///     00 null or absent    01 false    02 true
///     10 number: the double below it (8 bytes, sortable), then n and n bytes of the rest
///     11 NaN
///     20 text: UTF-8 of its NFC form; 00 → 01 01, 01 → 01 02; ends with 00
///     21 bytes: likewise
///     30 UUID: 16 bytes    31 date: seconds, 8 bytes, sortable
///     40 anything else: its canonical CBOR, as bytes are; for equality only
///
/// Numbers of equal value have equal keys, whether they are stored as integers or not, and texts
/// that Swift takes for equal have equal keys.
enum IndexKey {
    private enum Rank {
        static let null: UInt8 = 0x00
        static let `false`: UInt8 = 0x01
        static let `true`: UInt8 = 0x02
        static let number: UInt8 = 0x10
        static let nan: UInt8 = 0x11
        static let text: UInt8 = 0x20
        static let bytes: UInt8 = 0x21
        static let uuid: UInt8 = 0x30
        static let date: UInt8 = 0x31
        static let other: UInt8 = 0x40
    }

    /// The key of the named fields of a record. O(size of the record).
    static func make(_ fields: [String], of record: [UInt8]) throws(CBORError) -> ByteString {
        var key: [UInt8] = []
        for field in fields { _ = try append(field, of: record, to: &key) }
        return ByteString(key)
    }

    /// The key of the named fields of a record; nil if one of them is null or absent.
    static func makeIfComplete(
        _ fields: [String], of record: [UInt8]
    ) throws(CBORError) -> ByteString? {
        var key: [UInt8] = []
        for field in fields where try !append(field, of: record, to: &key) { return nil }
        return ByteString(key)
    }

    /// The component of a value on its own; nil if it cannot be read.
    static func comparableComponent(of value: [UInt8]) -> [UInt8]? {
        var component: [UInt8] = []
        let result = value.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in try append(bytes, to: &component) }
        }
        if case .failure = result { return nil }
        return component
    }

    /// The smallest string that is greater than every string with this prefix; empty if there
    /// is none.
    static func successor(ofPrefix prefix: [UInt8]) -> [UInt8] {
        var successor = prefix
        while let last = successor.popLast() {
            if last < 0xFF { return successor + [last + 1] }
        }
        return []
    }

    /// Returns whether there is a value.
    private static func append(
        _ field: String, of record: [UInt8], to key: inout [UInt8]
    ) throws(CBORError) -> Bool {
        let result = record.withUnsafeBytes { bytes in
            Result { () throws(CBORError) -> Bool in
                guard let range = try CBORReader.valueRange(of: field, inMap: bytes) else {
                    key.append(Rank.null)
                    return false
                }
                let value = UnsafeRawBufferPointer(rebasing: bytes[range])
                try append(value, to: &key)
                return value.first != CBORFormat.Byte.null
            }
        }
        return try result.get()
    }

    private static func append(
        _ value: UnsafeRawBufferPointer, to key: inout [UInt8]
    ) throws(CBORError) {
        var reader = CBORReader(value)
        switch try reader.peekType() {
        case .unsigned, .negative: append(try reader.readInteger(Int128.self), to: &key)
        case .text:
            key.append(Rank.text)
            appendText(try reader.readUTF8(), to: &key)
        case .bytes:
            key.append(Rank.bytes)
            appendEscaped(try reader.readBytes(), to: &key)
        case .simple: try appendSimple(&reader, to: &key)
        case .tag: try appendTagged(value, to: &key)
        case .array, .map:
            key.append(Rank.other)
            appendEscaped(value, to: &key)
        }
    }

    private static func appendSimple(
        _ reader: inout CBORReader, to key: inout [UInt8]
    ) throws(CBORError) {
        switch try reader.peekByte() {
        case CBORFormat.Byte.null: key.append(Rank.null)
        case CBORFormat.Byte.false: key.append(Rank.false)
        case CBORFormat.Byte.true: key.append(Rank.true)
        default:
            let number = try reader.readDouble()
            if number.isNaN {
                key.append(Rank.nan)
            } else {
                key.append(Rank.number)
                appendSortable(number, to: &key)
                key.append(0)
            }
        }
    }

    private static func appendTagged(
        _ value: UnsafeRawBufferPointer, to key: inout [UInt8]
    ) throws(CBORError) {
        var reader = CBORReader(value)
        let tag = try reader.readTag()
        reader.offset = 0
        switch tag {
        case CBORFormat.Tag.uuid:
            key.append(Rank.uuid)
            withUnsafeBytes(of: try reader.readUUID().uuid) { key.append(contentsOf: $0) }
        case CBORFormat.Tag.date:
            key.append(Rank.date)
            appendSortable(try reader.readDate().timeIntervalSinceReferenceDate, to: &key)
        case CBORFormat.Tag.positiveBignum, CBORFormat.Tag.negativeBignum:
            do throws(CBORError) {
                append(try reader.readInteger(Int128.self), to: &key)
            } catch {
                // Beyond 128 bits with a sign: UInt128 has one more.
                reader.offset = 0
                append(try reader.readInteger(UInt128.self), to: &key)
            }
        default:
            key.append(Rank.other)
            appendEscaped(value, to: &key)
        }
    }

    /// The largest double that is not greater, then what is missing.
    private static func append<T: FixedWidthInteger>(_ number: T, to key: inout [UInt8]) {
        key.append(Rank.number)
        var below = Double(number)
        var rest = T.Magnitude(0)
        if T(exactly: below) != number {
            while below >= 0x1p127
                ? T(exactly: below).map({ $0 > number }) ?? true
                : T(below) > number
            {
                below = below.nextDown
            }
            rest = T.Magnitude(truncatingIfNeeded: number &- T(below))
        }
        appendSortable(below, to: &key)
        let size = (T.Magnitude.bitWidth - rest.leadingZeroBitCount + 7) / 8
        key.append(UInt8(size))
        for byte in (0..<size).reversed() {
            key.append(UInt8(truncatingIfNeeded: rest >> T.Magnitude(byte * 8)))
        }
    }

    /// Bits whose order as unsigned integers is the order of the numbers; -0.0 is 0.0.
    private static func appendSortable(_ number: Double, to key: inout [UInt8]) {
        let bits = (number == 0 ? 0.0 : number).bitPattern
        let sortable = bits >> 63 == 0 ? bits | (1 << 63) : ~bits
        withUnsafeBytes(of: sortable.bigEndian) { key.append(contentsOf: $0) }
    }

    private static func appendText(_ utf8: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        // ASCII is its own normal form.
        if utf8.allSatisfy({ $0 < 0x80 }) { return appendEscaped(utf8, to: &key) }
        let text = String(decoding: utf8, as: UTF8.self).precomposedStringWithCanonicalMapping
        Array(text.utf8).withUnsafeBytes { appendEscaped($0, to: &key) }
    }

    private static func appendEscaped(_ bytes: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        for byte in bytes {
            if byte <= 1 {
                key.append(1)
                key.append(byte + 1)
            } else {
                key.append(byte)
            }
        }
        key.append(0)
    }
}
