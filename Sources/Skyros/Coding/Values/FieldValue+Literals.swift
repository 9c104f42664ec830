extension FieldValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension FieldValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self = .integer(Int128(value))
    }
}

extension FieldValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension FieldValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self = .text(value)
    }
}

extension FieldValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: FieldValue...) {
        self = .array(elements)
    }
}

extension FieldValue: ExpressibleByDictionaryLiteral {
    /// Of a key that is written twice, the last value counts.
    public init(dictionaryLiteral elements: (String, FieldValue)...) {
        self = .map(Dictionary(elements) { _, last in last })
    }
}
