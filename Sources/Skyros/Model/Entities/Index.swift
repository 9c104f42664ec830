/// An index over one or more fields of an entity, declared by key paths.
///
///     static let indexes: [Index<Restaurant>] = [
///         .on(\.cuisine),                  // speeds up filters and sorts by cuisine
///         .on(\.cuisine, \.rating),        // … by cuisine, and by rating within a cuisine
///         .unique(\.name),                 // no two restaurants with one name
///     ]
///
/// A key path leads to a stored property of the entity itself, and the index reads the field of
/// that name from the stored record. If coding keys rename the field, or if the property is
/// computed, has `didSet` or `willSet`, or is wrapped, give the name:
/// `.on(\.cuisine, field: "kitchen")`.
///
/// A name is compared with the records: a write of a record that contradicts it throws
/// `StoreError` with `.invalidSchema`, and so does the opening of a store that holds one. A
/// property that is not stored is compared in every record, at each opening too.
///
/// An index holds stored values. Older records may have no such field, or one of another kind, for
/// which `init(from:)` supplies a value. While there are any, filters and sorts do not use the
/// index. A value of the same kind must be decoded to an equal value.
public struct Index<E: Entity>: Sendable {
    let parts: [IndexPart<E>]
    let isUnique: Bool
    /// The stored names, if they were given.
    let givenFields: [String]?

    /// An index that speeds up filters and sorts.
    public static func on<each V: Encodable & Sendable>(
        _ paths: repeat FieldPath<E, each V>, fields: [String]? = nil
    ) -> Index {
        var parts: [IndexPart<E>] = []
        for path in repeat each paths { parts.append(IndexPart(path)) }
        return Index(parts: parts, isUnique: false, givenFields: fields)
    }

    /// An index over a property that is stored under another name.
    public static func on<V: Encodable & Sendable>(_ path: FieldPath<E, V>, field: String) -> Index
    {
        .on(path, fields: [field])
    }

    /// An index that also refuses two records with the same values. Records in which one of the
    /// values is nil are exempt.
    ///
    /// The values are those that are read: an older record without the field counts with the
    /// default that `init(from:)` gives it. A store that holds two records with the same values
    /// does not open, unless ``Store/Options/existingDuplicates`` says so.
    public static func unique<each V: Encodable & Sendable>(
        _ paths: repeat FieldPath<E, each V>, fields: [String]? = nil
    ) -> Index {
        var parts: [IndexPart<E>] = []
        for path in repeat each paths { parts.append(IndexPart(path)) }
        return Index(parts: parts, isUnique: true, givenFields: fields)
    }

    /// A unique index over a property that is stored under another name.
    public static func unique<V: Encodable & Sendable>(
        _ path: FieldPath<E, V>, field: String
    ) -> Index {
        .unique(path, fields: [field])
    }
}

/// One field of an index.
struct IndexPart<E: Entity>: Sendable {
    let path: AnyFieldPath<E>
    let field: FieldID
    let valueType: any (Encodable & Sendable).Type
    /// The encoded value of the field.
    let encodedValue: @Sendable (E) throws -> [UInt8]

    init<V: Encodable & Sendable>(_ path: FieldPath<E, V>) {
        self.path = path
        field = FieldID(path)
        valueType = V.self
        encodedValue = { try CBOREncoder().encode($0[keyPath: path]) }
    }
}

extension Index {
    /// The index by stored names.
    ///
    /// - Parameter isMultiValued: whether it has an entry for each element of a list. Filters and
    ///   sorts compare whole values and do not use such an index.
    /// - Throws: `StoreError` with `.invalidSchema` if a key path does not show its name and none
    ///   was given, or if there are too few names, none at all, or one of them twice.
    func definition(isMultiValued: Bool = false) throws -> IndexDefinition {
        guard !parts.isEmpty else { throw Self.invalid("an index of \(E.self) has no fields") }
        let names = try storedNames()
        for (position, name) in names.enumerated() where names[..<position].containsName(name) {
            throw Self.invalid("an index of \(E.self) names the field \"\(name)\" twice")
        }
        let comparisons = zip(parts, names).map { part, name in
            FieldComparison(
                part, IndexField(name, expected: ExpectedValue(of: part.valueType)))
        }
        return IndexDefinition(
            keyFields: comparisons.map(\.field), isUnique: isUnique,
            fieldIDs: isMultiValued ? [] : parts.map(\.field),
            binding: IndexBinding(parts, comparisons), isMultiValued: isMultiValued)
    }

    private func storedNames() throws -> [String] {
        if let givenFields {
            guard givenFields.count == parts.count else {
                throw Self.invalid(
                    "an index of \(E.self) has \(parts.count) key paths and "
                        + "\(givenFields.count) names of fields")
            }
            return givenFields
        }
        return try parts.map { part in
            if let name = FieldName.of(part.path) { return name }
            throw Self.invalid(
                "the stored name of \(part.path) cannot be told from the key path, which is "
                    + "computed, observed or wrapped, or leads into another value; "
                    + "give it: .on(…, field: \"name\")")
        }
    }

    private static func invalid(_ why: String) -> StoreError {
        StoreError(.invalidSchema, why, at: StoreError.Place(entity: E.entityName))
    }
}
