/// The exact sum of floats, rounded only when it is read: the order of the summands has no
/// influence.
///
/// A fixed-point number from 2⁻¹⁰⁷⁴ up, in digits of 32 bits, after Neal, "Fast exact summation
/// using small and large superaccumulators" (2015). Infinities and NaN are counted apart.
struct ExactSum: Sendable {
    /// Digits with signs, the least significant first; each has 31 bits for carries.
    private var digits = [Int64](repeating: 0, count: Self.digitCount)
    /// The numbers added since carries were moved up.
    private var pendingCount = 0
    private var hasPositiveInfinity = false
    private var hasNegativeInfinity = false
    private var hasNaN = false

    /// 2,098 bits of a `Double`'s range, and 64 for carries.
    private static let digitCount = 68
    /// The number of values below 2³² that fit a digit.
    private static let pendingMax = 1 << 30

    mutating func add(_ value: Double) {
        guard value.isFinite else { return addSpecial(value) }
        guard value != 0 else { return }
        // value = ± significand · 2^(position - 1074)
        let exponent = Int(value.exponentBitPattern)
        let significand = value.significandBitPattern | (exponent == 0 ? 0 : 1 << 52)
        let position = max(exponent - 1, 0)
        let shifted = UInt128(significand) << UInt128(position % 32)
        let sign: Int64 = value < 0 ? -1 : 1
        for index in 0..<3 {
            let digit = UInt32(truncatingIfNeeded: shifted >> UInt128(32 * index))
            digits[position / 32 + index] += sign * Int64(digit)
        }
        pendingCount += 1
        if pendingCount == Self.pendingMax { normalize() }
    }

    private mutating func addSpecial(_ value: Double) {
        if value.isNaN {
            hasNaN = true
        } else if value > 0 {
            hasPositiveInfinity = true
        } else {
            hasNegativeInfinity = true
        }
    }

    /// Moves carries up: all digits but the last are from 0 to 2³² - 1.
    private mutating func normalize() {
        pendingCount = 0
        for index in 0..<Self.digitCount - 1 {
            let carry = digits[index] >> 32
            digits[index] -= carry << 32
            digits[index + 1] += carry
        }
    }

    /// The sum, within a unit in the last place: infinite if it is too large, and NaN if a summand
    /// is, or if there are infinities of both signs.
    var value: Double { value(timesTwoTo: 0) }

    /// The sum divided by the number of its summands. The sum may be larger than a `Double`.
    func mean(of count: Int) -> Double {
        let sum = value
        guard sum.isInfinite else { return sum / Double(count) }
        return value(timesTwoTo: -64) / Double(count) * 0x1p64
    }

    private func value(timesTwoTo exponent: Int) -> Double {
        if hasNaN || (hasPositiveInfinity && hasNegativeInfinity) { return .nan }
        if hasPositiveInfinity { return .infinity }
        if hasNegativeInfinity { return -.infinity }
        var copy = self
        copy.normalize()
        let isNegative = (copy.digits.last ?? 0) < 0
        if isNegative {
            for index in copy.digits.indices { copy.digits[index].negate() }
            copy.normalize()
        }
        var sum = 0.0
        var rest = 0.0
        for (index, digit) in copy.digits.enumerated().reversed() where digit != 0 {
            // Each is exact; what a digit of lower places adds to the sum is rounded once.
            let term = Double(
                sign: .plus, exponent: 32 * index - 1074 + exponent, significand: Double(digit))
            let next = sum + term
            rest += term - (next - sum)
            sum = next
        }
        let total = sum.isFinite ? sum + rest : sum
        return isNegative ? -total : total
    }
}
