/// Reads numbers and bytes that stand as lowercase hex digits, two for each byte.
enum HexText {
    /// The number that 16 lowercase digits stand for; nil for any other text.
    static func number(_ text: String) -> UInt64? {
        guard text.utf8.count == 16, isLowercaseHex(text) else { return nil }
        return UInt64(text, radix: 16)
    }

    /// The bytes that `2 * count` lowercase digits stand for; nil for any other text.
    static func bytes(_ text: String, count: Int) -> [UInt8]? {
        guard text.utf8.count == 2 * count, isLowercaseHex(text) else { return nil }
        let digits = Array(text)
        return (0..<count).compactMap { UInt8(String(digits[2 * $0...2 * $0 + 1]), radix: 16) }
    }

    private static func isLowercaseHex(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
