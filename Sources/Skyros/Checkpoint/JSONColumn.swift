/// The JSON of the columns of kind `json`: arrays and maps that JSON gives back exactly.
///
/// Both directions go straight between CBOR and text, without a value in between, as a
/// checkpoint with nested fields is loaded at the speed of this code. Fields of a map keep
/// their canonical order, so that reading has nothing to sort.
enum JSONColumn {
    /// Appends the JSON of `value` to `text`.
    ///
    /// Returns false, with part of it appended, when it holds what JSON does not give back:
    /// anything but null, booleans, integers of 64 bits, finite numbers, text, arrays, maps.
    /// - Throws: `CBORError` when it is not well formed.
    static func append(
        _ value: UnsafeRawBufferPointer, to text: inout CBORWriter
    ) throws(CBORError) -> Bool {
        var reader = CBORReader(value)
        let isExact = try append(&reader, to: &text, depth: 0)
        if isExact { try reader.finish() }
        return isExact
    }

    private static func append(
        _ reader: inout CBORReader, to text: inout CBORWriter, depth: Int
    ) throws(CBORError) -> Bool {
        let start = reader.offset
        guard depth < CBORFormat.nestingMax else { throw CBORError(.tooDeep, at: start) }
        switch try reader.peekType() {
        case .unsigned: text.append(ascii: String(try reader.readArgument(.unsigned)))
        case .negative:
            text.append(ascii: "-")
            text.append(ascii: String(UInt128(try reader.readArgument(.negative)) + 1))
        case .text: return try appendText(&reader, to: &text)
        case .array: return try appendArray(&reader, to: &text, depth: depth)
        case .map: return try appendMap(&reader, to: &text, depth: depth)
        case .simple: return try appendSimple(&reader, to: &text)
        case .bytes, .tag: return false
        }
        return true
    }

    private static func appendSimple(
        _ reader: inout CBORReader, to text: inout CBORWriter
    ) throws(CBORError) -> Bool {
        switch try reader.peekByte() {
        case CBORFormat.Byte.null: text.append(ascii: "null")
        case CBORFormat.Byte.true: text.append(ascii: "true")
        case CBORFormat.Byte.false: text.append(ascii: "false")
        default:
            let number = try reader.readDouble()
            guard number.isFinite else { return false }
            // The shortest digits that give the number back, always with a point or exponent.
            text.append(ascii: number.description)
            return true
        }
        reader.offset += 1
        return true
    }

    private static func appendArray(
        _ reader: inout CBORReader, to text: inout CBORWriter, depth: Int
    ) throws(CBORError) -> Bool {
        text.append(ascii: "[")
        for index in 0..<(try reader.readArrayHead()) {
            if index > 0 { text.append(ascii: ",") }
            guard try append(&reader, to: &text, depth: depth + 1) else { return false }
        }
        text.append(ascii: "]")
        return true
    }

    private static func appendMap(
        _ reader: inout CBORReader, to text: inout CBORWriter, depth: Int
    ) throws(CBORError) -> Bool {
        text.append(ascii: "{")
        for index in 0..<(try reader.readMapHead()) {
            if index > 0 { text.append(ascii: ",") }
            guard try appendText(&reader, to: &text) else { return false }
            text.append(ascii: ":")
            guard try append(&reader, to: &text, depth: depth + 1) else { return false }
        }
        text.append(ascii: "}")
        return true
    }

    private static func appendText(
        _ reader: inout CBORReader, to text: inout CBORWriter
    ) throws(CBORError) -> Bool {
        let start = reader.offset
        let utf8 = try reader.readUTF8()
        guard PlainText.isPlain(utf8) || PlainText.isUTF8(utf8) else {
            throw CBORError(.invalidText, at: start)
        }
        text.append(ascii: "\"")
        var plainStart = 0
        for (offset, byte) in utf8.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            text.append(raw: UnsafeRawBufferPointer(rebasing: utf8[plainStart..<offset]))
            text.append(ascii: escape(byte))
            plainStart = offset + 1
        }
        text.append(raw: UnsafeRawBufferPointer(rebasing: utf8[plainStart...]))
        text.append(ascii: "\"")
        return true
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        default: "\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

extension CBORWriter {
    /// Appends text as it is, for writers that gather text and not CBOR.
    mutating func append(ascii text: String) {
        var text = text
        text.withUTF8 { append(raw: UnsafeRawBufferPointer($0)) }
    }
}
