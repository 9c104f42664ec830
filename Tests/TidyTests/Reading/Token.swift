/// A word or a single sign of a file's code.
struct Token: Equatable {
    let text: String
    let line: Int
    let isFirstOnLine: Bool

    /// Letters, digits, `_`, `$`, backticks and all bytes beyond ASCII make words.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            UInt8(ascii: "`"), 0x80...:
            true
        default: false
        }
    }

    var isWord: Bool { text.utf8.first.map(Self.isWordByte) ?? false }

    /// The tokens of code without comments and literals.
    static func all(in code: [UInt8]) -> [Token] {
        var tokens: [Token] = []
        var line = 1
        var isFirst = true
        var position = 0
        while position < code.count {
            let start = position
            position += 1
            switch code[start] {
            case UInt8(ascii: "\n"):
                line += 1
                isFirst = true
                continue
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            case let byte where isWordByte(byte):
                while position < code.count && isWordByte(code[position]) { position += 1 }
            default: break
            }
            let text = String(decoding: code[start..<position], as: UTF8.self)
            tokens.append(Token(text: text, line: line, isFirstOnLine: isFirst))
            isFirst = false
        }
        return tokens
    }
}

extension [Token] {
    /// The index of each place where the tokens of `code` follow each other.
    func matches(of code: String) -> [Int] {
        let pattern = Token.all(in: [UInt8](code.utf8)).map(\.text)
        guard let first = pattern.first, count >= pattern.count else { return [] }
        return (0...(count - pattern.count)).filter { start in
            self[start].text == first
                && pattern.indices.allSatisfy { self[start + $0].text == pattern[$0] }
        }
    }
}
