/// An event's place in the log: 1, 2, 3 … without gaps. 0 stands for "before the first event".
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
    /// The place as a number.
    public let rawValue: UInt64

    /// The place with this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The place before the first event.
    public static let zero = SequenceNumber(rawValue: 0)

    /// The next place.
    public var next: SequenceNumber { SequenceNumber(rawValue: rawValue + 1) }
}

extension SequenceNumber: Comparable {
    /// Whether `a` stands before `b` in the log.
    public static func < (a: SequenceNumber, b: SequenceNumber) -> Bool {
        a.rawValue < b.rawValue
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

extension SequenceNumber: Codable {
    /// Reads the place from a plain number.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(UInt64.self)
    }

    /// Writes the place as a plain number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
