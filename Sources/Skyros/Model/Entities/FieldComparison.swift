import SkyrosDisk
import SkyrosLog
import Synchronization

/// The comparison of a property with the field under which an index expects it.
///
/// The name of the field comes from the key path, or was given. It is *settled* once no other field
/// can be the property's, by all records that were compared. Two fields with equal values in every
/// record so far would give the same index, so nothing is answered wrongly before. From then on,
/// values of a stored property are not compared any more, except that an optional one that is
/// absent must be nil. Computed, observed and wrapped properties are compared in each record.
///
/// No value is ever made up to find a name.
final class FieldComparison: Sendable {
    let field: IndexField
    private let entity: String
    private let property: String
    let isOptional: Bool
    /// Whether the key path leads to a stored property.
    private let isStored: Bool
    /// The other fields whose values were always those of the property; nil before the first value.
    private let rivals = Locked<[String]?>(nil)
    private let hasRivals = Atomic(true)
    private let isWrong = Atomic(false)

    init<E: Entity>(_ part: IndexPart<E>, _ field: IndexField) {
        self.field = field
        entity = E.entityName
        property = String(reflecting: part.path)
        isOptional = part.valueType is any OptionalType.Type
        isStored = MemoryLayout<E>.offset(of: part.path) != nil
    }

    /// Whether records need not be compared to use an index of the field.
    var isSettled: Bool { isStored && !hasRivals.load(ordering: .relaxed) }

    /// Whether records that the app writes must be compared.
    var isOpen: Bool { !isSettled || isOptional || InvariantChecks.isEnabled }

    /// Whether records were found that contradict the name, or of which a default is read where the
    /// field is absent.
    var isRefuted: Bool { isWrong.load(ordering: .relaxed) }

    func refute() {
        isWrong.store(true, ordering: .relaxed)
    }

    func news(in record: [UInt8]) throws(CBORError) -> FieldNews {
        let rivals = rivals.withLock { $0 }
        return try record.withBytes { bytes throws(CBORError) in
            guard let value = try FieldValueBytes(of: field.name, in: bytes) else {
                return isOptional ? .absence : .none
            }
            guard field.expected.allows(try value.rank()) else { return .none }
            guard isStored, let rivals else { return .name }
            for rival in rivals {
                guard let other = try FieldValueBytes(of: rival, in: bytes), other == value else {
                    return .name
                }
            }
            return .none
        }
    }

    /// Compares a property with the field of its record.
    ///
    /// - Parameters:
    ///   - isWritten: whether the app writes the record now. Other records may be of an older
    ///     shape: without the field, or with a value of another kind.
    ///   - encoded: the encoded value of the property.
    /// - Throws: `StoreError` with `.invalidSchema` if they contradict each other.
    func compare(
        _ record: [UInt8], _ id: RecordID, isWritten: Bool, _ encoded: () throws -> [UInt8]
    ) throws {
        try record.withUnsafeBytes { bytes in
            let stored = try FieldValueBytes(of: field.name, in: bytes)
            if stored != nil, isSettled, !InvariantChecks.isEnabled, isWritten { return }
            try encoded().withUnsafeBytes { encoded in
                let property = FieldValueBytes(encoded)
                if stored == property {
                    if let stored { try note(stored, in: bytes) }
                    return
                }
                if stored == nil, !isOptional, isSettled || !isWritten { return }
                if stored == nil, !isWritten { return refute() }
                if let stored, !isWritten, !field.expected.allows(try stored.rank()) { return }
                throw contradiction(try property?.holders(in: bytes) ?? [], bytes, id)
            }
        }
    }

    /// Takes note of a record in which the field has the property's value.
    private func note(_ value: FieldValueBytes, in record: UnsafeRawBufferPointer) throws {
        guard hasRivals.load(ordering: .relaxed) else { return }
        let others = try value.holders(in: record).filter { !$0.isSameName(as: field.name) }
        let isSettled = rivals.withLock { rivals in
            rivals = rivals?.filter { others.containsName($0) } ?? others
            return rivals?.isEmpty == true
        }
        if isSettled { hasRivals.store(false, ordering: .relaxed) }
    }

    private func contradiction(
        _ holders: [String], _ record: UnsafeRawBufferPointer, _ id: RecordID
    ) -> StoreError {
        let all = (try? FieldValueBytes.names(in: record)) ?? []
        let fact =
            all.containsName(field.name)
            ? "whose field \"\(field.name)\" has another value"
            : "which has no field \"\(field.name)\", but \(Self.list(all))"
        let likely = holders.isEmpty ? "" : "; \(Self.list(holders)) has its value"
        return StoreError(
            .invalidSchema,
            "the index of \(property) cannot hold the record \(id) of \(entity), \(fact)"
                + "\(likely). Give the name under which the property is stored: "
                + ".on(…, field: \"name\"), of a relation .to(…, field: \"name\", onDelete: …); "
                + "or remove the index, if it is not stored unchanged",
            at: StoreError.Place(entity: entity, ids: [id]))
    }

    private static func list(_ names: [String]) -> String {
        names.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
