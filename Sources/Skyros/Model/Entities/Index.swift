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
///
/// An index holds the stored values. As long as there are records of an older type whose field is
/// absent or of another kind, which `init(from:)` turns into something else, filters and sorts do
/// without the index. What `init(from:)` makes of a value of the same kind must equal it.
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
        let probe = FieldProbe(E.self)
        let fields = try givenFields ?? parts.map { try Self.name(of: $0, by: probe) }
        guard fields.count == parts.count else {
            throw Self.invalid(
                "an index of \(E.self) has \(parts.count) key paths and "
                    + "\(fields.count) names of fields")
        }
        return IndexDefinition(
            fields: fields, isUnique: isUnique,
            expectations: zip(fields, parts).map { probe.expectation(of: $0, $1) })
    }

    private static func name(of part: IndexPart<E>, by probe: FieldProbe<E>) throws -> String {
        if let name = probe.name(of: part) { return name }
        throw invalid(
            "the stored name of \(part.path) cannot be found: it is computed, or decoding "
                + "samples does not tell; give it, if the property is stored as it is "
                + "read: .on(…, fields: [\"name\"])")
    }

    private static func invalid(_ why: String) -> StoreError {
        StoreError(.invalidSchema, why, at: StoreError.Place(entity: E.entityName))
    }
}
