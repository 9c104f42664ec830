/// Splits Swift source into code and line comments; the formatter allows no others.
///
/// Both results have the length and the line feeds of the text. Bytes of the other part, and the
/// contents of string literals, are spaces. Code in an interpolation is code. A name in backticks
/// becomes one word without spaces.
struct SourceScanner {
    private let text: [UInt8]
    private var position = 0
    private(set) var code: [UInt8]
    private(set) var comments: [UInt8]

    init(_ text: String) {
        self.text = Array(text.utf8)
        code = self.text.map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
        comments = code
        scanCode(isInterpolation: false)
    }

    private var isAtEnd: Bool { position >= text.count }

    private func isAt(_ bytes: String) -> Bool {
        text[position...].starts(with: bytes.utf8)
    }

    /// Copies code; an interpolation's ends before the parenthesis that closes it.
    private mutating func scanCode(isInterpolation: Bool) {
        var depth = 0
        while !isAtEnd {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "/") where isAt("//"): scanLineComment()
            case UInt8(ascii: "\""): scanString(hashes: 0)
            case UInt8(ascii: "#"): scanHashes()
            case UInt8(ascii: "`"): scanBackticks()
            default:
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") {
                    depth -= 1
                    if isInterpolation && depth < 0 { return }
                }
                keep()
            }
        }
    }

    private mutating func keep() {
        code[position] = text[position]
        position += 1
    }

    private mutating func scanLineComment() {
        while !isAtEnd && text[position] != UInt8(ascii: "\n") {
            comments[position] = text[position]
            position += 1
        }
    }

    /// What a number sign begins: a raw string, a regular expression, or plain code.
    private mutating func scanHashes() {
        var end = position
        while end < text.count && text[end] == UInt8(ascii: "#") { end += 1 }
        let hashes = end - position
        guard end < text.count, text[end] == UInt8(ascii: "\"") || text[end] == UInt8(ascii: "/")
        else {
            return keep()
        }
        position = end
        if text[end] == UInt8(ascii: "\"") { return scanString(hashes: hashes) }
        let closing = "/" + String(repeating: "#", count: hashes)
        position += 1
        while !isAtEnd && !isAt(closing) { position += 1 }
        position = min(position + closing.utf8.count, text.count)
    }

    /// Skips a string literal, except for its quotes.
    private mutating func scanString(hashes: Int) {
        let isLong = isAt("\"\"\"")
        let quotes = isLong ? "\"\"\"" : "\""
        let sharps = String(repeating: "#", count: hashes)
        for _ in quotes.utf8 { keep() }
        while !isAtEnd {
            if isAt(quotes + sharps) {
                for _ in quotes.utf8 { keep() }
                position += hashes
                return
            } else if text[position] == UInt8(ascii: "\\") && isAt("\\" + sharps) {
                position += 1 + hashes
                if isAtEnd { return }
                if text[position] == UInt8(ascii: "(") {
                    keep()
                    scanCode(isInterpolation: true)
                } else {
                    position += 1
                }
            } else if text[position] == UInt8(ascii: "\n") && !isLong {
                return
            } else {
                position += 1
            }
        }
    }

    private mutating func scanBackticks() {
        keep()
        while !isAtEnd && text[position] != UInt8(ascii: "`")
            && text[position] != UInt8(ascii: "\n")
        {
            let byte = text[position]
            code[position] = Token.isWordByte(byte) ? byte : UInt8(ascii: "_")
            position += 1
        }
        if !isAtEnd && text[position] == UInt8(ascii: "`") { keep() }
    }
}
