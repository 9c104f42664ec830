/// A comparison of a stored field with values, without the entity's Swift type.
struct StoredComparison: Sendable {
    enum Operation: String, Sendable {
        case equal = "=="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case isIn = "in"
        case hasPrefix, hasSuffix, contains
    }

    /// A value to compare with.
    struct Operand: Sendable {
        let value: FieldValue?
        /// The component in index keys; nil if the value cannot be stored.
        let key: IndexKey.Checked?

        init(_ value: FieldValue?) {
            self.value = value
            let bytes = value.flatMap { try? $0.encoded() }
            key = bytes.flatMap { IndexKey.component(ofEncoded: $0) }
        }

        fileprivate var text: String? { value?.text }
    }

    let field: String
    let operation: Operation
    let operands: [Operand]

    /// Throws if a value cannot be compared in this way.
    func check(in entity: String) throws {
        let needsText = [.hasPrefix, .hasSuffix, .contains].contains(operation)
        let needsOrder = ![.equal, .isIn].contains(operation) && !needsText
        for operand in operands {
            guard let key = operand.key else {
                throw invalid("a value that cannot be stored", entity)
            }
            let rank = key.key.leadingWord >> 56
            if needsText, operand.text == nil { throw invalid("a value that is no text", entity) }
            if needsOrder, !Self.orderedRanks.contains(UInt8(rank)) {
                throw invalid("a value of a kind that has no order", entity)
            }
        }
    }

    private func invalid(_ what: String, _ entity: String) -> StoreError {
        StoreError(
            .invalidInput,
            "the filter compares \"\(field)\" of \"\(entity)\" by \(operation.rawValue) with "
                + "\(what); give a number, a text, a date, a UUID or bytes",
            at: StoreError.Place(entity: entity, field: field))
    }

    private static let orderedRanks: Set<UInt8> = [
        IndexKey.Rank.number, IndexKey.Rank.nan, IndexKey.Rank.text, IndexKey.Rank.bytes,
        IndexKey.Rank.uuid, IndexKey.Rank.date, IndexKey.Rank.noDate,
    ]

    // MARK: Testing

    /// Whether a record passes: a field that it lacks is null.
    func matches(_ record: [UInt8]) throws -> Bool {
        try record.withUnsafeBytes { record in
            let range = try CBORReader.valueRange(of: field, inMap: record)
            let value = range.map { UnsafeRawBufferPointer(rebasing: record[$0]) }
            return try operands.contains { try matches(value, $0) }
        }
    }

    private func matches(_ stored: UnsafeRawBufferPointer?, _ operand: Operand) throws -> Bool {
        if let text = operand.text {
            guard let stored, let first = stored.first, first >> 5 == CBORType.text.rawValue else {
                return false
            }
            var reader = CBORReader(stored)
            return matches(try reader.readText(), text)
        }
        guard let key = operand.key?.key else { return false }
        let null = ByteString([IndexKey.Rank.null])
        let component = try stored.map { try IndexKey.append($0, to: ByteString([])) } ?? null
        // Nothing equals NaN.
        let rank = UInt8(key.leadingWord >> 56)
        if rank == IndexKey.Rank.nan || rank == IndexKey.Rank.noDate { return false }
        if operation == .equal || operation == .isIn { return component == key }
        // Only values of one kind have an order.
        guard component.leadingWord >> 56 == key.leadingWord >> 56 else { return false }
        return holds(component < key, key < component)
    }

    private func matches(_ stored: String, _ text: String) -> Bool {
        switch operation {
        case .equal, .isIn: stored == text
        case .hasPrefix: stored.hasPrefix(text)
        case .hasSuffix: stored.hasSuffix(text)
        case .contains: stored.holds(text)
        // Swift errs where texts of other forms end, and so `<=` is no `!(>)` there.
        case .less: stored < text
        case .lessOrEqual: stored <= text
        case .greater: stored > text
        case .greaterOrEqual: stored >= text
        }
    }

    private func holds(_ isLess: Bool, _ isGreater: Bool) -> Bool {
        switch operation {
        case .less: isLess
        case .lessOrEqual: !isGreater
        case .greater: isGreater
        case .greaterOrEqual: !isLess
        case .equal, .isIn, .hasPrefix, .hasSuffix, .contains: false
        }
    }

    // MARK: Planning

    /// What an index can know of it.
    var requirement: Requirement {
        // Only a list has several values.
        .any(operands.map { requirement(for: $0) })
    }

    private func requirement(for operand: Operand) -> Requirement {
        let reference = FieldReference.stored(field)
        if operation == .hasPrefix, let text = operand.text {
            let known = Condition.prefix(reference, text).map { Requirement.condition($0) }
            return .all([known ?? .unknown, .unknown])
        }
        guard let key = operand.key, let operation = operation.condition,
            let condition = Condition(reference, operation, key)
        else { return .unknown }
        return .condition(condition)
    }
}

extension StoredComparison.Operation {
    fileprivate var condition: Condition.Operation? {
        switch self {
        case .equal, .isIn: .equal
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .hasPrefix, .hasSuffix, .contains: nil
        }
    }
}

extension IndexKey {
    /// The component of an encoded value; nil if the bytes are not CBOR.
    static func component(ofEncoded value: [UInt8]) -> Checked? {
        var builder = Builder()
        let added: Void? = value.withUnsafeBytes { bytes in
            try? builder.append(0..<bytes.count, of: bytes)
        }
        guard added != nil else { return nil }
        return Checked(
            key: builder.key, isExpected: builder.isExpected, isRegular: builder.isRegular,
            isComplete: builder.isComplete)
    }
}
