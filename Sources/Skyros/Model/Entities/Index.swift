/// An index over one or more fields of an entity, declared by key paths.
///
///     static let indexes: [Index<Restaurant>] = [
///         .on(\.cuisine),                  // speeds up filters and sorts by cuisine
///         .on(\.cuisine, \.rating),        // … by cuisine, and by rating within a cuisine
///         .unique(\.name),                 // no two restaurants with one name
///     ]
///
/// A key path leads to a stored property of the entity itself. The stored name of that property is
/// found by decoding the type from samples. If its `init(from:)` accepts no samples, or the
/// property has `didSet`, `willSet` or a wrapper, give the name:
/// `.on(\.cuisine, fields: ["kitchen"])`.
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

    /// An index that also refuses two records with the same values. Records in which one of the
    /// values is nil are exempt.
    public static func unique<each V: Encodable & Sendable>(
        _ paths: repeat FieldPath<E, each V>, fields: [String]? = nil
    ) -> Index {
        var parts: [IndexPart<E>] = []
        for path in repeat each paths { parts.append(IndexPart(path)) }
        return Index(parts: parts, isUnique: true, givenFields: fields)
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
    /// The index by stored names, which `probe` finds.
    ///
    /// - Throws: `StoreError` with `.invalidSchema` if a name can neither be found nor was given,
    ///   or if there are too few names, none at all, or one of them twice.
    func definition(_ probe: StoredNameResolver<E> = StoredNameResolver(E.self)) throws
        -> IndexDefinition
    {
        guard !parts.isEmpty else {
            throw Self.invalid("an index of \(E.self) has no fields")
        }
        if let givenFields {
            guard givenFields.count == parts.count else {
                throw Self.invalid(
                    "an index of \(E.self) has \(parts.count) key paths and "
                        + "\(givenFields.count) names of fields")
            }
            return try definition(of: givenFields, probe)
        }
        let fields = try parts.map { part in
            if let name = probe.name(of: part) { return name }
            throw Self.invalid(
                "the stored name of \(part.path) cannot be found by decoding samples, as it is "
                    + "computed or observed, or as \(E.self) accepts no samples; "
                    + "give it: .on(…, fields: [\"name\"])")
        }
        return try definition(of: fields, probe)
    }

    private func definition(
        of fields: [String], _ probe: StoredNameResolver<E>
    ) throws -> IndexDefinition {
        for (position, field) in fields.enumerated() where fields[..<position].contains(field) {
            throw Self.invalid("an index of \(E.self) names the field \"\(field)\" twice")
        }
        let keyFields = zip(fields, parts).map { name, part in
            IndexField(name, expected: probe.expectation(of: name, part))
        }
        return IndexDefinition(
            keyFields: keyFields, isUnique: isUnique, fieldIDs: parts.map(\.field))
    }

    private static func invalid(_ why: String) -> StoreError {
        StoreError(.invalidSchema, why, at: StoreError.Place(entity: E.entityName))
    }
}
