import Foundation
import SkyrosLog

/// The JSON of the columns of kind `json`: arrays, maps and whatever has no kind of its own.
///
/// Both directions go straight between CBOR and text, without a value in between, as a
/// checkpoint with nested fields is loaded at the speed of this code. Fields of a map keep
/// their canonical order, so that reading has nothing to sort.
///
/// JSON gives back null, booleans, integers of 64 bits, finite numbers, text, arrays and maps.
/// Everything else is written as an approximation: integers beyond 64 bits with all digits,
/// numbers that are not finite as the texts `NaN`, `Infinity` and `-Infinity`, bytes in base64,
/// UUIDs, URLs and decimals as text, dates as in date columns, and other tags as
/// `{"tag":n,"value":…}`.
enum JSONColumn {
    /// Appends the JSON of `value` to `text`, and returns whether that gives it back exactly.
    ///
    /// - Throws: `CBORError` when the value is not well formed.
    static func append(
        _ value: UnsafeRawBufferPointer, to text: inout CBORWriter
    ) throws(CBORError) -> Bool {
        var reader = CBORReader(value)
        let isExact = try append(&reader, to: &text, depth: 0)
        try reader.finish()
        return isExact
    }

    private static func append(
        _ reader: inout CBORReader, to text: inout CBORWriter, depth: Int
    ) throws(CBORError) -> Bool {
        guard depth < CBORFormat.nestingMax else { throw CBORError(.tooDeep, at: reader.offset) }
        switch try reader.peekType() {
        case .unsigned, .negative:
            text.append(words: String(try reader.readInteger(Int128.self)))
            return true
        case .bytes:
            let bytes = Data(try reader.readBytes())
            text.append(words: "\"\(bytes.base64EncodedString())\"")
            return false
        case .text:
            try appendText(&reader, to: &text)
            return true
        case .array: return try appendArray(&reader, to: &text, depth: depth)
        case .map: return try appendMap(&reader, to: &text, depth: depth)
        case .tag:
            try appendTagged(&reader, to: &text, depth: depth)
            return false
        case .simple: return try appendSimple(&reader, to: &text)
        }
    }

    private static func appendSimple(
        _ reader: inout CBORReader, to text: inout CBORWriter
    ) throws(CBORError) -> Bool {
        switch try reader.peekByte() {
        case CBORFormat.Byte.null: text.append(words: "null")
        case CBORFormat.Byte.true: text.append(words: "true")
        case CBORFormat.Byte.false: text.append(words: "false")
        default: return append(try reader.readDouble(), to: &text)
        }
        reader.offset += 1
        return true
    }

    private static func append(_ number: Double, to text: inout CBORWriter) -> Bool {
        guard number.isFinite else {
            let name = number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
            text.append(words: "\"\(name)\"")
            return false
        }
        // The shortest digits that give the number back, always with a point or exponent.
        text.append(words: number.description)
        return true
    }

    private static func appendArray(
        _ reader: inout CBORReader, to text: inout CBORWriter, depth: Int
    ) throws(CBORError) -> Bool {
        var isExact = true
        text.append(words: "[")
        for index in 0..<(try reader.readArrayHead()) {
            if index > 0 { text.append(words: ",") }
            if try !append(&reader, to: &text, depth: depth + 1) { isExact = false }
        }
        text.append(words: "]")
        return isExact
    }

    private static func appendMap(
        _ reader: inout CBORReader, to text: inout CBORWriter, depth: Int
    ) throws(CBORError) -> Bool {
        var isExact = true
        text.append(words: "{")
        for index in 0..<(try reader.readMapHead()) {
            if index > 0 { text.append(words: ",") }
            try appendText(&reader, to: &text)
            text.append(words: ":")
            if try !append(&reader, to: &text, depth: depth + 1) { isExact = false }
        }
        text.append(words: "}")
        return isExact
    }

    /// Appends the approximation of something with a tag.
    private static func appendTagged(
        _ reader: inout CBORReader, to text: inout CBORWriter, depth: Int
    ) throws(CBORError) {
        var content = reader
        let item = UnsafeRawBufferPointer(rebasing: reader.bytes[try reader.skipValue()])
        if let words = words(item) { return text.append(words: words) }
        let tag = try content.readTag()
        if tag == CBORFormat.Tag.url, try content.peekType() == .text {
            return try appendText(&content, to: &text)
        }
        text.append(words: "{\"tag\":\(tag),\"value\":")
        _ = try append(&content, to: &text, depth: depth + 1)
        text.append(words: "}")
    }

    /// The JSON of a bignum, UUID, date or decimal; nil for other tags.
    private static func words(_ item: UnsafeRawBufferPointer) -> String? {
        var reader = CBORReader(item)
        if let integer = try? reader.readInteger(Int128.self) { return String(integer) }
        reader = CBORReader(item)
        if let uuid = try? reader.readUUID() { return "\"\(uuid.uuidString.lowercased())\"" }
        reader = CBORReader(item)
        if let date = try? reader.readDate() {
            var text = CBORWriter(capacity: 32)
            _ = append(date.timeIntervalSinceReferenceDate, to: &text)
            return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        return DecimalText.text(of: item).map { "\"\($0)\"" }
    }

    private static func appendText(
        _ reader: inout CBORReader, to text: inout CBORWriter
    ) throws(CBORError) {
        let start = reader.offset
        let utf8 = try reader.readUTF8()
        guard SQLiteText.isPlain(utf8) || SQLiteText.isUTF8(utf8) else {
            throw CBORError(.invalidText, at: start)
        }
        text.append(words: "\"")
        var plainStart = 0
        for (offset, byte) in utf8.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            text.append(raw: UnsafeRawBufferPointer(rebasing: utf8[plainStart..<offset]))
            text.append(words: escape(byte))
            plainStart = offset + 1
        }
        text.append(raw: UnsafeRawBufferPointer(rebasing: utf8[plainStart...]))
        text.append(words: "\"")
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
        default: "\\u" + UInt64(byte).digits(4, radix: 16)
        }
    }
}

extension CBORWriter {
    /// Appends the UTF-8 of `text` as it is, for writers that gather text and not CBOR.
    mutating func append(words text: String) {
        var text = text
        text.withUTF8 { append(raw: UnsafeRawBufferPointer($0)) }
    }
}
