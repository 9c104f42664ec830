import Foundation

/// The exact sum of decimals: the order of the summands has no influence, and no partial sum is
/// rounded.
///
/// A fixed-point number from 10⁻¹²⁸ up, in decimal digits.
struct ExactDecimalSum: Sendable {
    /// Digits with signs, the least significant first; carries are moved up when the sum is read.
    private var digits = [Int64](repeating: 0, count: Self.digitCount)
    private var hasNaN = false

    private static let exponentMin = -128
    private static let exponentMax = 127
    /// 256 exponents, 39 digits of a mantissa, and 19 for carries.
    private static let digitCount = 314

    mutating func add(_ value: Decimal) {
        // The mantissa's words are not accessible on every platform; its digits are.
        guard !value.isNaN, var mantissa = UInt128(value.significand.magnitude.description) else {
            hasNaN = true
            return
        }
        var place = value.exponent - Self.exponentMin
        while mantissa > 0 {
            let digit = Int64(mantissa % 10)
            digits[place] += value.sign == .minus ? -digit : digit
            mantissa /= 10
            place += 1
        }
    }

    /// Moves carries up: all digits but the last are from 0 to 9.
    private mutating func normalize() {
        for index in 0..<Self.digitCount - 1 {
            let carry = digits[index] >= 0 ? digits[index] / 10 : (digits[index] - 9) / 10
            digits[index] -= carry * 10
            digits[index + 1] += carry
        }
    }

    /// The sum; nil if it has more digits than a decimal holds, or if a summand is NaN.
    var value: Decimal? {
        if hasNaN { return nil }
        var copy = self
        copy.normalize()
        let isNegative = (copy.digits.last ?? 0) < 0
        if isNegative {
            for index in copy.digits.indices { copy.digits[index].negate() }
            copy.normalize()
        }
        guard let last = copy.digits.lastIndex(where: { $0 != 0 }),
            let lowest = copy.digits.firstIndex(where: { $0 != 0 })
        else { return 0 }
        // Above the greatest exponent, zeros are digits of the mantissa.
        let first = min(lowest, Self.exponentMax - Self.exponentMin)
        let mantissa = copy.digits[first...last].reversed().map(String.init).joined()
        guard UInt128(mantissa) != nil else { return nil }
        let sign = isNegative ? "-" : ""
        let sum = Decimal(string: "\(sign)\(mantissa)e\(first + Self.exponentMin)")
        return sum?.isNaN == false ? sum : nil
    }
}
