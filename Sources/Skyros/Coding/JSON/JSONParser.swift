import Foundation

extension FieldValue {
    /// The value of a JSON text (RFC 8259): null, booleans, integers, floats, texts, arrays and
    /// maps, and nothing else.
    ///
    /// A number without fraction and exponent is an integer, exactly, whatever its size; every
    /// other number is a float. Throws `JSONError`, also for an object that repeats a key, a
    /// number that a `Double` cannot hold, and nesting beyond 128 levels.
    ///
    /// `$$` at the beginning of a key is one dollar sign; a key with a single one is the library's,
    /// and an error.
    public init(json: String) throws {
        var json = json
        self = try json.withUTF8Bytes { (utf8) throws(JSONError) in
            var parser = JSONParser(utf8: utf8)
            return try parser.parse()
        }
    }
}

/// A strict parser of one JSON text; the text is valid UTF-8 already. O(n).
struct JSONParser {
    let utf8: UnsafeRawBufferPointer
    private var offset = 0
    private var depth = 0

    init(utf8: UnsafeRawBufferPointer) {
        self.utf8 = utf8
    }

    mutating func parse() throws(JSONError) -> FieldValue {
        let value = try parseValue()
        skipSpace()
        guard offset == utf8.count else { throw error("text after the value") }
        return value
    }

    // MARK: Bytes

    private func error(_ problem: String) -> JSONError {
        JSONError(problem: problem, offset: offset)
    }

    private var next: UInt8? { offset < utf8.count ? utf8[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard utf8.count - offset >= bytes.count,
            utf8.equals(bytes, at: offset..<(offset + bytes.count))
        else { return false }
        offset += bytes.count
        return true
    }

    // MARK: Values

    private mutating func parseValue() throws(JSONError) -> FieldValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .map(try parseObject())
        case UInt8(ascii: "["): return .array(try parseArray())
        case UInt8(ascii: "\""): return .text(try parseString())
        case UInt8(ascii: "t") where takeWord("true"): return .bool(true)
        case UInt8(ascii: "f") where takeWord("false"): return .bool(false)
        case UInt8(ascii: "n") where takeWord("null"): return .null
        case UInt8(ascii: "-"): return try parseNumber()
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try parseNumber()
        case nil: throw error("the text ends where a value should be")
        default: throw error("no value begins like this")
        }
    }

    private mutating func enter() throws(JSONError) {
        offset += 1
        depth += 1
        if depth > CBORFormat.nestingMax { throw error("nested too deeply") }
    }

    private mutating func parseArray() throws(JSONError) -> [FieldValue] {
        try enter()
        var values: [FieldValue] = []
        skipSpace()
        if !take("]") {
            repeat {
                values.append(try parseValue())
                skipSpace()
            } while take(",")
            guard take("]") else { throw error("an array continues with , or ends with ]") }
        }
        depth -= 1
        return values
    }

    private mutating func parseObject() throws(JSONError) -> NamedValues<FieldValue> {
        let start = offset
        try enter()
        var entries: [NamedValues<FieldValue>.Element] = []
        skipSpace()
        if !take("}") {
            repeat {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw error("a key is a string") }
                let key = try parseKey()
                skipSpace()
                guard take(":") else { throw error("a key is followed by :") }
                entries.append((key, try parseValue()))
                skipSpace()
            } while take(",")
            guard take("}") else { throw error("an object continues with , or ends with }") }
        }
        depth -= 1
        let values = NamedValues(entries: entries)
        guard values.count == entries.count else { throw Self.repetition(in: entries, at: start) }
        return values
    }

    /// The error of an object that begins at `offset` and repeats a key.
    private static func repetition(
        in entries: [NamedValues<FieldValue>.Element], at offset: Int
    ) -> JSONError {
        var keys: Set<[UInt8]> = []
        let repeated = entries.first { !keys.insert(Array($0.key.utf8)).inserted }
        return JSONError(problem: "the key \"\(repeated?.key ?? "")\" repeats", offset: offset)
    }

    private mutating func parseKey() throws(JSONError) -> String {
        let key = try parseString()
        guard key.utf8.first == UInt8(ascii: "$") else { return key }
        let unescaped = String(decoding: key.utf8.dropFirst(), as: UTF8.self)
        guard unescaped.utf8.first == UInt8(ascii: "$") else {
            throw error("the key \"\(key)\" is reserved; \"$\(key)\" is a key of the app")
        }
        return unescaped
    }

    // MARK: Numbers

    private mutating func parseNumber() throws(JSONError) -> FieldValue {
        let start = offset
        let isNegative = take("-")
        let digits = offset
        try skipDigits()
        guard offset - digits == 1 || utf8[digits] != UInt8(ascii: "0") else {
            throw error("a number does not begin with 0")
        }
        let integerEnd = offset
        if take(".") { try skipDigits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try skipDigits()
        }
        let text = String(decoding: utf8[start..<offset], as: UTF8.self)
        guard offset > integerEnd else { return try integer(text, isNegative: isNegative) }
        guard let double = Double(text), double.isFinite else {
            throw error("no float has this value")
        }
        return .double(double)
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = offset
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
        if offset == start { throw error("a digit is missing") }
    }

    private func integer(_ text: String, isNegative: Bool) throws(JSONError) -> FieldValue {
        if let value = Int128(text) { return .integer(value) }
        let digits = isNegative ? text.dropFirst() : text[...]
        guard let magnitude = BignumText.magnitude(of: digits, minus: isNegative ? 1 : 0) else {
            throw error("an integer has too many digits")
        }
        let tag = isNegative ? CBORFormat.Tag.negativeBignum : CBORFormat.Tag.positiveBignum
        return .tagged(tag, .bytes(magnitude))
    }

    // MARK: Strings

    private mutating func parseString() throws(JSONError) -> String {
        offset += 1
        var content: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                offset += 1
                content.append(contentsOf: try parseEscape().utf8)
            case ..<0x20: throw error("a control character in a string")
            default:
                content.append(byte)
                offset += 1
            }
        }
        throw error("a string ends with \"")
    }

    private mutating func parseEscape() throws(JSONError) -> String {
        guard let byte = next else { throw error("an escape sequence ends") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try parseUnicodeEscape()
        default: throw error("no escape sequence begins like this")
        }
    }

    private mutating func parseUnicodeEscape() throws(JSONError) -> String {
        let first = try parseHex()
        var scalar = UInt32(first)
        if 0xD800...0xDBFF ~= first {
            guard take("\\"), take("u") else { throw error("half a surrogate pair") }
            let second = try parseHex()
            guard 0xDC00...0xDFFF ~= second else { throw error("half a surrogate pair") }
            scalar = 0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(scalar) else { throw error("half a surrogate pair") }
        return String(Character(scalar))
    }

    private mutating func parseHex() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
                byte < 0x80
            else { throw error("a hexadecimal digit is missing") }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }
}
