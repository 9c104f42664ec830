import SkyrosLog

/// The connection of an index's key paths with the stored fields that the index holds.
///
/// An index reads a field of the stored record, a filter reads a property of the Swift value. Only
/// coding keys and `encode(to:)` know whether they are the same, so real records show it: the
/// encoded value of the property is compared with the field. See `FieldComparison`.
final class IndexBinding: Sendable {
    private let fields: [FieldComparison]
    private let properties: any IndexedProperties
    /// The records whose key is not made from what they store.
    let olderKeys = OlderKeys()

    init<E: Entity>(_ parts: [IndexPart<E>], _ fields: [FieldComparison]) {
        self.fields = fields
        properties = TypedProperties(parts: parts)
    }

    /// Whether queries may use the index on records that were not compared.
    var isConfirmed: Bool { fields.allSatisfy { $0.isSettled } }

    /// Whether the index cannot answer what the properties say: then queries do not use it.
    var isRefuted: Bool { fields.contains { $0.isRefuted } }

    /// Whether records that the app writes must be compared.
    var isOpen: Bool { fields.contains { $0.isOpen } }

    /// Whether there is an optional property, which a record may lack.
    var hasOptional: Bool { fields.contains { $0.isOptional } }

    /// Stops queries from using the index.
    func refute() {
        for field in fields { field.refute() }
    }

    /// What reading a stored record can tell.
    func news(in record: [UInt8]) throws(CBORError) -> FieldNews {
        var news = FieldNews.none
        for field in fields { news = max(news, try field.news(in: record)) }
        return news
    }

    /// Compares a stored record with the value that is read from it, if it can be read.
    ///
    /// - Throws: `StoreError` with `.invalidSchema` if they contradict each other. Records of an
    ///   older shape, which the index knows as such, do not.
    func compare(stored record: [UInt8], _ id: RecordID) throws {
        // What cannot be read is reported when it is read.
        guard let values = properties.values(in: record) else { return }
        for (field, value) in zip(fields, values) {
            try field.compare(record, id, isWritten: false) { value }
        }
    }

    /// Compares a value with the record that the app writes for it.
    ///
    /// - Throws: `StoreError` with `.invalidSchema` if they contradict each other.
    func compare<E: Entity>(written value: E, _ record: [UInt8], _ id: RecordID) throws {
        // Another type may write records by the entity's name.
        guard let typed = properties as? TypedProperties<E> else {
            return try compare(stored: record, id)
        }
        for index in fields.indices where fields[index].isOpen {
            try fields[index].compare(record, id, isWritten: true) {
                try typed.parts[index].encodedValue(value)
            }
        }
    }

    /// The index key of the value that is read from a record; nil if one of the properties is nil,
    /// or if the record cannot be read.
    func key(reading record: [UInt8]) -> ByteString? {
        var key = ByteString([])
        for value in properties.values(in: record) ?? [[CBORFormat.Byte.null]] {
            guard value != [CBORFormat.Byte.null],
                let longer = try? value.withUnsafeBytes({ try IndexKey.append($0, to: key) })
            else { return nil }
            key = longer
        }
        return key
    }
}

/// What reading a stored record can tell about a field's name.
enum FieldNews: Comparable {
    /// Nothing new.
    case none
    /// What is read where the field is absent.
    case absence
    /// Whether the name is right.
    case name
}

/// The properties of an index, without the type of their entity.
private protocol IndexedProperties: Sendable {
    /// Their encoded values in the value that is read from a record; nil if it cannot be read.
    func values(in record: [UInt8]) -> [[UInt8]]?
}

private final class TypedProperties<E: Entity>: IndexedProperties {
    let parts: [IndexPart<E>]

    init(parts: [IndexPart<E>]) {
        self.parts = parts
    }

    func values(in record: [UInt8]) -> [[UInt8]]? {
        var unused = FieldRequests()
        guard let value = try? PrototypeFields.decode(E.self, from: record, &unused) else {
            return nil
        }
        return try? parts.map { try $0.encodedValue(value) }
    }
}
