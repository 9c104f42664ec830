extension FieldValue: ExpressibleByBooleanLiteral {
    /// A truth value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension FieldValue: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int) {
        self = .integer(Int128(value))
    }
}

extension FieldValue: ExpressibleByFloatLiteral {
    /// A floating-point number: its literal has a fraction or an exponent.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension FieldValue: ExpressibleByStringLiteral {
    /// A text.
    public init(stringLiteral value: String) {
        self = .text(value)
    }
}

extension FieldValue: ExpressibleByArrayLiteral {
    /// Values in order.
    public init(arrayLiteral elements: FieldValue...) {
        self = .array(elements)
    }
}

extension FieldValue: ExpressibleByDictionaryLiteral {
    /// If a key occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, FieldValue)...) {
        self = .map(NamedValues(elements))
    }
}
