/// An index over one or more fields of an entity, declared by key paths.
///
///     static let indexes: [Index<Restaurant>] = [
///         .on(\.cuisine),                  // speeds up filters and sorts by cuisine
///         .on(\.cuisine, \.rating),        // … by cuisine, and by rating within a cuisine
///         .unique(\.name),                 // no two restaurants with one name
///     ]
///
/// A key path leads to a stored property of the entity itself. The name under which that property
/// is stored is found by decoding the type from samples. Where that cannot be done, as its
/// `init(from:)` accepts no samples or the property has observers, give the name:
/// `.on(\.cuisine, fields: ["kitchen"])`.
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

    /// An index that also lets no two records have the same values. Records in which one of the
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
    let valueType: any (Encodable & Sendable).Type
    /// The encoded value of the field.
    let encodedValue: @Sendable (E) throws -> [UInt8]

    init<V: Encodable & Sendable>(_ path: FieldPath<E, V>) {
        self.path = path
        valueType = V.self
        encodedValue = { try CBOREncoder().encode($0[keyPath: path]) }
    }
}

extension Index {
    /// The index in terms of stored names.
    ///
    /// - Throws: `StoreError` with `.invalidSchema` if a name can neither be found nor was given.
    func definition() throws -> IndexDefinition {
        guard !parts.isEmpty else {
            throw Self.invalid("an index of \(E.self) has no fields")
        }
        if let givenFields {
            guard givenFields.count == parts.count else {
                throw Self.invalid(
                    "an index of \(E.self) has \(parts.count) key paths and "
                        + "\(givenFields.count) names of fields")
            }
            return IndexDefinition(fields: givenFields, isUnique: isUnique)
        }
        let probe = FieldProbe(E.self)
        let fields = try parts.map { part in
            if let name = probe.name(of: part) { return name }
            throw Self.invalid(
                "the stored name of \(part.path) cannot be found: it is computed, or decoding "
                    + "samples does not tell; give it, if the property is stored as it is "
                    + "read: .on(…, fields: [\"name\"])")
        }
        return IndexDefinition(fields: fields, isUnique: isUnique)
    }

    private static func invalid(_ why: String) -> StoreError {
        StoreError(.invalidSchema, why, at: StoreError.Place(entity: E.entityName))
    }
}
