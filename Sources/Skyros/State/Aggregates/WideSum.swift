/// The exact sum of integers of up to 128 bits, in 192 bits: the order of the summands has no
/// influence on it, and none of 2⁶³ of them overflows it.
struct WideSum: Sendable {
    private var low: UInt128 = 0
    private var high: Int64 = 0

    mutating func add(_ value: some FixedWidthInteger) {
        let (sum, carries) = low.addingReportingOverflow(UInt128(truncatingIfNeeded: value))
        low = sum
        high &+= (value < 0 ? -1 : 0) + (carries ? 1 : 0)
    }

    /// The sum; nil if the type does not hold it.
    func exactly<T: FixedWidthInteger>(as type: T.Type) -> T? {
        switch high {
        case 0: T(exactly: low)
        case -1: Int128(bitPattern: low) < 0 ? T(exactly: Int128(bitPattern: low)) : nil
        default: nil
        }
    }

    /// The nearest `Double`, within a unit in the last place.
    var double: Double {
        let isNegative = high < 0
        let lowMagnitude = isNegative ? ~low &+ 1 : low
        let highMagnitude = isNegative ? ~high &+ (low == 0 ? 1 : 0) : high
        let magnitude = Double(highMagnitude) * 0x1p128 + Double(lowMagnitude)
        return isNegative ? -magnitude : magnitude
    }
}
