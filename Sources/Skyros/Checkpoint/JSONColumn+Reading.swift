import Foundation

extension JSONColumn {
    /// Appends the canonical CBOR of the JSON in `text`; false, with part of it appended, when
    /// that is not JSON as `append(_:to:)` writes it.
    static func append(json text: UnsafeRawBufferPointer, to writer: inout CBORWriter) -> Bool {
        var parser = Parser(text: text)
        return parser.parseValue(to: &writer, depth: 0) && parser.offset == text.count
    }

    /// A cursor over JSON without insignificant spaces. It never reads beyond the text, and
    /// nests no deeper than what is stored may.
    private struct Parser {
        let text: UnsafeRawBufferPointer
        var offset = 0

        /// The next byte; 0, which no JSON contains, at the end.
        var next: UInt8 { offset < text.count ? text[offset] : 0 }

        mutating func skip(_ expected: StaticString) -> Bool {
            let count = expected.utf8CodeUnitCount
            guard text.count - offset >= count else { return false }
            for index in 0..<count where text[offset + index] != expected.utf8Start[index] {
                return false
            }
            offset += count
            return true
        }

        mutating func parseValue(to writer: inout CBORWriter, depth: Int) -> Bool {
            guard depth < CBORFormat.nestingMax else { return false }
            switch next {
            case UInt8(ascii: "["): return parseArray(to: &writer, depth: depth)
            case UInt8(ascii: "{"): return parseMap(to: &writer, depth: depth)
            case UInt8(ascii: "\""): return parseText(to: &writer)
            case UInt8(ascii: "n"): writer.appendNull(); return skip("null")
            case UInt8(ascii: "t"): writer.append(true); return skip("true")
            case UInt8(ascii: "f"): writer.append(false); return skip("false")
            default: return parseNumber(to: &writer)
            }
        }

        mutating func parseArray(to writer: inout CBORWriter, depth: Int) -> Bool {
            let start = writer.count
            var count = 0
            guard skip("[") else { return false }
            while !skip("]") {
                if count > 0, !skip(",") { return false }
                guard parseValue(to: &writer, depth: depth + 1) else { return false }
                count += 1
            }
            writer.insertHead(.array, count, at: start)
            return true
        }

        mutating func parseMap(to writer: inout CBORWriter, depth: Int) -> Bool {
            let start = writer.count
            var previous = 0..<0
            var count = 0
            guard skip("{") else { return false }
            while !skip("}") {
                if count > 0, !skip(",") { return false }
                let keyStart = writer.count
                guard parseText(to: &writer) else { return false }
                let key = keyStart..<writer.count
                let isAscending = writer.withUnsafeBytes { bytes in
                    count == 0 || bytes[previous].lexicographicallyPrecedes(bytes[key])
                }
                guard isAscending, skip(":") else { return false }
                guard parseValue(to: &writer, depth: depth + 1) else { return false }
                previous = key
                count += 1
            }
            writer.insertHead(.map, count, at: start)
            return true
        }

        mutating func parseText(to writer: inout CBORWriter) -> Bool {
            let start = writer.count
            guard skip("\"") else { return false }
            var plainStart = offset
            while next != UInt8(ascii: "\"") {
                guard next >= 0x20 else { return false }
                if next == UInt8(ascii: "\\") {
                    writer.append(raw: plain(from: plainStart))
                    guard let byte = parseEscape() else { return false }
                    withUnsafeBytes(of: byte) { writer.append(raw: $0) }
                    plainStart = offset
                } else {
                    offset += 1
                }
            }
            writer.append(raw: plain(from: plainStart))
            offset += 1
            writer.insertHead(.text, writer.count - start, at: start)
            return true
        }

        /// The bytes from `start` up to the cursor.
        func plain(from start: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: text[start..<offset])
        }

        /// Reads an escape sequence; only those of single bytes are ever written.
        mutating func parseEscape() -> UInt8? {
            if skip("\\\"") { return UInt8(ascii: "\"") }
            if skip("\\\\") { return UInt8(ascii: "\\") }
            if skip("\\b") { return 0x08 }
            if skip("\\t") { return 0x09 }
            if skip("\\n") { return 0x0A }
            if skip("\\f") { return 0x0C }
            if skip("\\r") { return 0x0D }
            guard skip("\\u00"), text.count - offset >= 2 else { return nil }
            let digits = String(decoding: text[offset..<(offset + 2)], as: UTF8.self)
            guard let byte = UInt8(digits, radix: 16), byte < 0x20 else { return nil }
            offset += 2
            return byte
        }

        mutating func parseNumber(to writer: inout CBORWriter) -> Bool {
            let start = offset
            while isNumeric(next) { offset += 1 }
            let digits = String(decoding: plain(from: start), as: UTF8.self)
            guard digits.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }) else {
                guard let number = Double(digits), number.isFinite else { return false }
                writer.append(number)
                return true
            }
            let isNegative = digits.hasPrefix("-")
            guard let magnitude = UInt128(digits.dropFirst(isNegative ? 1 : 0)) else {
                return false
            }
            let argument = isNegative ? magnitude &- 1 : magnitude
            guard let argument = UInt64(exactly: argument) else { return false }
            writer.appendHead(isNegative ? .negative : .unsigned, argument)
            return true
        }

        private func isNumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true
            default: false
            }
        }
    }
}
