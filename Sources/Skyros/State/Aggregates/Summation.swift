import Foundation

/// A sum of numbers that is being added up; see ``Summable``.
public struct Summation: Sendable {
    /// The number of summands; nil is none.
    public private(set) var count = 0
    private(set) var integers = WideSum()
    private(set) var floats: ExactSum?
    private(set) var decimals: [Decimal] = []

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
        decimals.append(value)
    }

    /// The sum of decimals, in the order of their values, so that no other order matters; nil if
    /// it has more digits than a decimal holds.
    var decimal: Decimal? {
        var sum = Decimal()
        for var value in decimals.sorted() {
            var old = sum
            guard NSDecimalAdd(&sum, &old, &value, .plain) == .noError else { return nil }
        }
        return sum
    }
}
