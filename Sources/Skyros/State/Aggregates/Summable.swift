public import Foundation

/// A number that has a sum and an average: an integer, a float, a `Decimal`, or an optional of
/// these, whose nil does not count.
///
/// A sum of integers is exact, and an error if its type does not hold it. A sum of floats is
/// rounded once, from the exact sum: it does not depend on the order of the records. A summand that
/// is NaN makes it NaN, one that is infinite makes it infinite. A sum of decimals is an error if it
/// has more digits than `Decimal` holds.
public protocol Summable: Sendable {
    /// The type of a sum.
    associatedtype Total: Sendable
    /// The type of an average.
    associatedtype Mean: Sendable

    /// Adds the value to a sum.
    func add(to sum: inout Summation)

    /// The sum; nil if its type does not hold it.
    static func total(of sum: Summation) -> Total?

    /// The average; nil if its type does not hold it. The sum is not empty.
    static func mean(of sum: Summation) -> Mean?
}

extension Summable where Self: FixedWidthInteger {
    /// Adds the value to a sum.
    public func add(to sum: inout Summation) { sum.add(self) }

    /// The sum; nil if the type does not hold it.
    public static func total(of sum: Summation) -> Self? { sum.integers.exactly(as: Self.self) }

    /// The average.
    public static func mean(of sum: Summation) -> Double? {
        sum.integers.double / Double(sum.count)
    }
}

extension Int: Summable {}
extension Int8: Summable {}
extension Int16: Summable {}
extension Int32: Summable {}
extension Int64: Summable {}
extension Int128: Summable {}
extension UInt: Summable {}
extension UInt8: Summable {}
extension UInt16: Summable {}
extension UInt32: Summable {}
extension UInt64: Summable {}
extension UInt128: Summable {}

extension Double: Summable {
    /// Adds the value to a sum.
    public func add(to sum: inout Summation) { sum.add(self) }

    /// The sum.
    public static func total(of sum: Summation) -> Double? { sum.floats?.value ?? 0 }

    /// The average.
    public static func mean(of sum: Summation) -> Double? {
        sum.floats?.mean(of: sum.count) ?? 0
    }
}

extension Float: Summable {
    /// Adds the value to a sum.
    public func add(to sum: inout Summation) { sum.add(Double(self)) }

    /// The sum.
    public static func total(of sum: Summation) -> Float? { Float(sum.floats?.value ?? 0) }

    /// The average.
    public static func mean(of sum: Summation) -> Double? { Double.mean(of: sum) }
}

extension Decimal: Summable {
    /// Adds the value to a sum.
    public func add(to sum: inout Summation) { sum.add(self) }

    /// The sum; nil if it has too many digits.
    public static func total(of sum: Summation) -> Decimal? { sum.decimal }

    /// The average, rounded to the digits of a decimal; nil if the sum has too many digits.
    public static func mean(of sum: Summation) -> Decimal? {
        sum.decimal.map { $0 / Decimal(sum.count) }
    }
}

extension Optional: Summable where Wrapped: Summable {
    /// Adds the value to a sum, if there is one.
    public func add(to sum: inout Summation) { self?.add(to: &sum) }

    /// The sum of the values that are not nil.
    public static func total(of sum: Summation) -> Wrapped.Total? { Wrapped.total(of: sum) }

    /// The average of the values that are not nil.
    public static func mean(of sum: Summation) -> Wrapped.Mean? { Wrapped.mean(of: sum) }
}
