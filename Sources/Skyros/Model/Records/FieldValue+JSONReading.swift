extension FieldValue {
    /// Reads JSON: null, truth values, numbers, texts, arrays and objects. Numbers without
    /// fraction and exponent are integers, exact to 128 bits; others are floating-point.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the text is no JSON.
    public init(json text: String) throws {
        var parser = JSONParser(text)
        guard let value = parser.parse() else {
            throw StoreError(
                .invalidInput, "this is no JSON from character \(parser.offset) on: \(text)")
        }
        self = value
    }
}

/// Reads one JSON text (RFC 8259).
///
/// Foundation's decoder takes `1.0` for an integer; here the two must differ, as they do in CBOR.
private struct JSONParser {
    private let bytes: [UInt8]
    private(set) var offset = 0

    private static let nestingMax = 128

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The value, if the text is one and nothing else.
    mutating func parse() -> FieldValue? {
        guard let value = value(depth: 0) else { return nil }
        skipSpace()
        return offset == bytes.count ? value : nil
    }

    private mutating func value(depth: Int) -> FieldValue? {
        skipSpace()
        guard depth < Self.nestingMax, offset < bytes.count else { return nil }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return array(depth)
        case UInt8(ascii: "\""): return string().map { .text($0) }
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func object(_ depth: Int) -> FieldValue? {
        offset += 1
        var fields: [String: FieldValue] = [:]
        if take("}") { return .map(fields) }
        repeat {
            skipSpace()
            guard let name = string(), take(":"), let value = value(depth: depth + 1),
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        } while take(",")
        return take("}") ? .map(fields) : nil
    }

    private mutating func array(_ depth: Int) -> FieldValue? {
        offset += 1
        var elements: [FieldValue] = []
        if take("]") { return .array(elements) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            elements.append(value)
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    private mutating func number() -> FieldValue? {
        let start = offset
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        while offset < bytes.count,
            digits.contains(bytes[offset]) || "+-.eE".utf8.contains(bytes[offset])
        {
            offset += 1
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard text.wholeMatch(of: #/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/#) != nil
        else { return nil }
        if let integer = Int128(text) { return .integer(integer) }
        return Double(text).map { .double($0) }
    }

    private mutating func string() -> String? {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return nil }
        offset += 1
        var units: [UInt16] = []
        var text = ""
        while offset < bytes.count {
            let start = offset
            while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""),
                bytes[offset] != UInt8(ascii: "\\"), bytes[offset] >= 0x20
            {
                offset += 1
            }
            text += String(decoding: bytes[start..<offset], as: UTF8.self)
            guard offset < bytes.count, bytes[offset] >= 0x20 else { return nil }
            if bytes[offset] == UInt8(ascii: "\"") {
                offset += 1
                return text
            }
            units.removeAll(keepingCapacity: true)
            guard escapes(&units) else { return nil }
            text += String(decoding: units, as: UTF16.self)
        }
        return nil
    }

    /// Reads consecutive escapes, which may form surrogate pairs.
    private mutating func escapes(_ units: inout [UInt16]) -> Bool {
        while offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\") {
            let mark = bytes[offset + 1]
            offset += 2
            if mark == UInt8(ascii: "u") {
                guard offset + 4 <= bytes.count,
                    let unit = UInt16(
                        String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
                else { return false }
                offset += 4
                units.append(unit)
            } else {
                guard let unit = Self.plainEscapes[mark] else { return false }
                units.append(unit)
            }
        }
        return !units.isEmpty
    }

    private static let plainEscapes: [UInt8: UInt16] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F,
        UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10,
        UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
    ]

    private mutating func word(_ word: String, _ value: FieldValue) -> FieldValue? {
        guard bytes[offset...].starts(with: word.utf8) else { return nil }
        offset += word.utf8.count
        return value
    }

    private mutating func take(_ character: Character) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == character.asciiValue else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while offset < bytes.count, " \t\n\r".utf8.contains(bytes[offset]) { offset += 1 }
    }
}
