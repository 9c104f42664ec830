import SkyrosLog

/// Reads lowercase hex digits, two for each byte, as `hexDigits` and `digits(_:radix:)` write them.
enum HexText {
    /// The number of 16 digits; nil for any other text.
    static func number(_ text: String) -> UInt64? {
        bytes(text, count: 8)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes of `2 * count` digits; nil for any other text.
    static func bytes(_ text: String, count: Int) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 2 * count else { return nil }
        let bytes = (0..<count).map { index in
            let pair = digits[2 * index...2 * index + 1]
            return UInt8(String(decoding: pair, as: UTF8.self), radix: 16) ?? 0
        }
        return bytes.hexDigits == text ? bytes : nil
    }
}
