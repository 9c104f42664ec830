/// An event's place in the log: 1, 2, 3 … without gaps. 0 is "before the first event".
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
    /// The place as a number.
    public let rawValue: UInt64

    /// The place with this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Before the first event.
    public static let zero = SequenceNumber(rawValue: 0)

    /// The next place; of 2⁶⁴ - 1 itself, which no event reaches.
    public var next: SequenceNumber { advanced(by: 1) }
}

extension SequenceNumber: Comparable {
    /// Whether `a` is before `b` in the log.
    public static func < (a: SequenceNumber, b: SequenceNumber) -> Bool {
        a.rawValue < b.rawValue
    }
}

extension SequenceNumber: Strideable {
    /// The number of events from this one to `other`, clamped to the range of `Int`.
    public func distance(to other: SequenceNumber) -> Int {
        other.rawValue >= rawValue
            ? Int(clamping: other.rawValue - rawValue) : -Int(clamping: rawValue - other.rawValue)
    }

    /// The sequence `count` events later, or earlier if it is negative, clamped to 0 ... 2⁶⁴ - 1.
    public func advanced(by count: Int) -> SequenceNumber {
        let (sum, overflows) =
            count < 0
            ? rawValue.subtractingReportingOverflow(UInt64(count.magnitude))
            : rawValue.addingReportingOverflow(UInt64(count))
        return SequenceNumber(rawValue: overflows ? (count < 0 ? 0 : .max) : sum)
    }
}

extension SequenceNumber: ExpressibleByIntegerLiteral {
    /// The place with this number.
    public init(integerLiteral value: UInt64) {
        self.init(rawValue: value)
    }
}

extension SequenceNumber: CustomStringConvertible {
    /// The number's digits.
    public var description: String { String(rawValue) }
}

// Encoded by `RawRepresentable` as a plain number.
extension SequenceNumber: Codable {}

extension SequenceNumber {
    /// The range of these places.
    static func range(_ range: ClosedRange<UInt64>) -> ClosedRange<SequenceNumber> {
        SequenceNumber(rawValue: range.lowerBound)...SequenceNumber(rawValue: range.upperBound)
    }
}
