/// The digits after the point of a decimal number.
package enum DecimalFraction {
    /// The digits of one minus the fraction. It is not zero, and keeps its length.
    package static func complement(_ fraction: String) -> String {
        var digits = fraction.utf8.map { 9 - ($0 - 0x30) }
        var index = digits.count - 1
        while index >= 0 {
            digits[index] += 1
            if digits[index] < 10 { break }
            digits[index] = 0
            index -= 1
        }
        return String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
    }
}
