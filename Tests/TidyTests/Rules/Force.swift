/// What may be missing or fail is unwrapped, tried and cast with a way out.
enum Force {
    static let rule = Rule("Nothing is forced", file: findings)

    static func findings(in file: SourceFile) -> [Finding] {
        file.code.enumerated().filter { isForced(in: $1) }.map { index, _ in
            file.finding(index + 1, "an exclamation mark that traps: throw, or require the value")
        }
    }

    /// Whether a line has an exclamation mark directly behind a value, a type, `try` or `as`.
    private static func isForced(in line: String) -> Bool {
        let bytes = Array(line.utf8)
        return bytes.indices.dropFirst().contains { index in
            bytes[index] == UInt8(ascii: "!") && isEnd(bytes[index - 1])
                && (index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "="))
        }
    }

    private static func isEnd(_ byte: UInt8) -> Bool {
        Token.isWordByte(byte) || ")]}>?\"".utf8.contains(byte)
    }
}
