import Foundation

/// A sum of numbers that is being added up; see ``Summable``.
public struct Summation: Sendable {
    /// The number of summands; nil is none.
    public private(set) var count = 0
    private(set) var integers = WideSum()
    private(set) var floats: ExactSum?
    private(set) var decimals: ExactDecimalSum?

    init() {}

    mutating func add(_ value: some FixedWidthInteger) {
        count += 1
        integers.add(value)
    }

    mutating func add(_ value: Double) {
        count += 1
        if floats == nil { floats = ExactSum() }
        floats?.add(value)
    }

    mutating func add(_ value: Decimal) {
        count += 1
        if decimals == nil { decimals = ExactDecimalSum() }
        decimals?.add(value)
    }

    /// The sum of decimals; nil if it has more digits than a decimal holds.
    var decimal: Decimal? {
        guard let decimals else { return 0 }
        return decimals.value
    }
}
