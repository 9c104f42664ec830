/// Splits Swift source into code and comments without moving a byte.
///
/// Both results have the length and the line feeds of the text; what belongs to the other part,
/// and what stands inside a string literal, is a space. Code in an interpolation stays code.
/// A name in backticks becomes one word without spaces, so that a sentence is not read as code.
struct SourceScanner {
    private let text: [UInt8]
    private var position = 0
    private(set) var code: [UInt8]
    private(set) var comments: [UInt8]

    init(_ text: String) {
        self.text = Array(text.utf8)
        code = self.text.map { $0 == Byte.lineFeed ? $0 : Byte.space }
        comments = code
        scanCode(isInterpolation: false)
    }

    private enum Byte {
        static let lineFeed = UInt8(ascii: "\n")
        static let space = UInt8(ascii: " ")
        static let quote = UInt8(ascii: "\"")
        static let hash = UInt8(ascii: "#")
        static let slash = UInt8(ascii: "/")
        static let backslash = UInt8(ascii: "\\")
        static let backtick = UInt8(ascii: "`")
        static let underscore = UInt8(ascii: "_")
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
            case Byte.slash where isAt("//"): scanLineComment()
            case Byte.slash where isAt("/*"): scanBlockComment()
            case Byte.quote: scanString(hashes: 0)
            case Byte.hash: scanHashes()
            case Byte.backtick: scanBackticks()
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
        while !isAtEnd && text[position] != Byte.lineFeed {
            comments[position] = text[position]
            position += 1
        }
    }

    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            let step = isAt("/*") || isAt("*/") ? 2 : 1
            if step == 2 { depth += isAt("/*") ? 1 : -1 }
            for _ in 0..<step {
                comments[position] = text[position]
                position += 1
            }
        } while depth > 0 && !isAtEnd
    }

    /// What a number sign begins: a raw string, a regular expression, or plain code.
    private mutating func scanHashes() {
        var end = position
        while end < text.count && text[end] == Byte.hash { end += 1 }
        let hashes = end - position
        guard end < text.count, text[end] == Byte.quote || text[end] == Byte.slash else {
            return keep()
        }
        position = end
        if text[end] == Byte.quote { return scanString(hashes: hashes) }
        let closing = "/" + String(repeating: "#", count: hashes)
        position += 1
        while !isAtEnd && !isAt(closing) { position += 1 }
        position = min(position + closing.utf8.count, text.count)
    }

    /// Skips a string literal; its quotes stay, as a sign that something stands there.
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
            } else if text[position] == Byte.backslash && isAt("\\" + sharps) {
                position += 1 + hashes
                if isAtEnd { return }
                if text[position] == UInt8(ascii: "(") {
                    keep()
                    scanCode(isInterpolation: true)
                } else {
                    position += 1
                }
            } else if text[position] == Byte.lineFeed && !isLong {
                return
            } else {
                position += 1
            }
        }
    }

    private mutating func scanBackticks() {
        keep()
        while !isAtEnd && text[position] != Byte.backtick && text[position] != Byte.lineFeed {
            let byte = text[position]
            code[position] = Token.isWordByte(byte) ? byte : Byte.underscore
            position += 1
        }
        if !isAtEnd && text[position] == Byte.backtick { keep() }
    }
}
