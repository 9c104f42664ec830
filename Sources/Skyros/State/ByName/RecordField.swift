/// A stored field by its name, for conditions on records without their Swift type.
///
///     let field = RecordField("age")
///     try snapshot.records("Person", where: field >= 18 && RecordField("city") == "Athens")
public struct RecordField: Hashable, Sendable {
    /// The name under which the field is stored.
    public let name: String

    /// The field with this name.
    public init(_ name: String) {
        self.name = name
    }

    /// The field with the name of a key, as of `CodingKeys`.
    public init(_ key: some RawRepresentable<String>) {
        self.init(key.rawValue)
    }

    /// The records whose field equals one of the values.
    public func `in`(_ values: some Sequence<some Encodable & Sendable>) -> RecordFilter {
        filter(.isIn, values.map { StoredComparison.Operand(try? FieldValue($0)) })
    }

    /// The records whose field equals one of the values.
    @_disfavoredOverload
    public func `in`(_ values: [FieldValue]) -> RecordFilter {
        filter(.isIn, values.map { StoredComparison.Operand($0) })
    }

    /// The records whose field is in a range with both of its ends.
    public func between<V: Encodable & Sendable>(_ range: ClosedRange<V>) -> RecordFilter {
        self >= range.lowerBound && self <= range.upperBound
    }

    /// The records whose field is a text that begins with `prefix`, by characters.
    public func hasPrefix(_ prefix: String) -> RecordFilter { filter(.hasPrefix, prefix) }

    /// The records whose field is a text that ends with `suffix`, by characters.
    public func hasSuffix(_ suffix: String) -> RecordFilter { filter(.hasSuffix, suffix) }

    /// The records whose field is a text that contains `part`, by characters.
    public func contains(_ part: String) -> RecordFilter { filter(.contains, part) }

    fileprivate func filter(
        _ operation: StoredComparison.Operation, _ value: some Encodable & Sendable
    ) -> RecordFilter {
        filter(operation, [StoredComparison.Operand(try? FieldValue(value))])
    }

    fileprivate func filter(
        _ operation: StoredComparison.Operation, _ operands: [StoredComparison.Operand]
    ) -> RecordFilter {
        RecordFilter(
            .comparison(
                StoredComparison(field: name, operation: operation, operands: operands)))
    }
}

/// The records whose field equals `value`. Numbers are equal if their values are.
public func == (field: RecordField, value: some Encodable & Sendable) -> RecordFilter {
    field.filter(.equal, value)
}

/// The records whose field equals `value`: `.null` for those that have null or no such field.
@_disfavoredOverload
public func == (field: RecordField, value: FieldValue) -> RecordFilter {
    field.filter(.equal, [StoredComparison.Operand(value)])
}

/// The records whose field does not equal `value`.
public func != (field: RecordField, value: some Encodable & Sendable) -> RecordFilter {
    !(field == value)
}

/// The records whose field does not equal `value`.
@_disfavoredOverload
public func != (field: RecordField, value: FieldValue) -> RecordFilter {
    !(field == value)
}

/// The records whose field is of the same kind as `value`, and less.
public func < (field: RecordField, value: some Encodable & Sendable) -> RecordFilter {
    field.filter(.less, value)
}

/// The records whose field is of the same kind as `value`, and at most `value`.
public func <= (field: RecordField, value: some Encodable & Sendable) -> RecordFilter {
    field.filter(.lessOrEqual, value)
}

/// The records whose field is of the same kind as `value`, and greater.
public func > (field: RecordField, value: some Encodable & Sendable) -> RecordFilter {
    field.filter(.greater, value)
}

/// The records whose field is of the same kind as `value`, and at least `value`.
public func >= (field: RecordField, value: some Encodable & Sendable) -> RecordFilter {
    field.filter(.greaterOrEqual, value)
}
