/// A reference of an entity that the store keeps whole, declared by a key path.
///
///     static let relations: [Relation<Card>] = [
///         .to(\.board, onDelete: .cascade),           // no card without its board
///         .to(\.assignee, onDelete: .nullify),
///         .toMany(\.blockedBy, onDelete: .remove),
///     ]
///
/// The store checks the references of a write block when the block ends. A new reference to a
/// record that does not exist then throws `StoreError` with `.brokenReference`, which lists all of
/// them. A deletion is followed by what the rule says, in the same event; see
/// <doc:Relationships>.
///
/// A relation has an index. Filters by the property use it, and so do deletions,
/// ``RecordSource/all(_:referring:to:where:sortedBy:)`` and
/// ``RecordSource/join(_:_:where:whereTarget:sortedBy:)``. The name of the stored field is found
/// and confirmed as for an ``Index``; give it if coding keys rename the property:
/// `.to(\.board, field: "b", onDelete: .cascade)`.
public struct Relation<E: Entity>: Sendable {
    let part: IndexPart<E>
    let target: any Entity.Type
    let kind: RelationDescription.Kind
    let rule: RelationDescription.Rule
    /// The stored name, if it was given.
    let givenField: String?

    /// A reference that every record has.
    public static func to<T: Entity>(
        _ path: FieldPath<E, Ref<T>>, field: String? = nil, onDelete rule: RequiredReferenceRule
    ) -> Relation {
        Relation(IndexPart(path), T.self, .one, rule == .cascade ? .cascade : .deny, field)
    }

    /// A reference that may be nil.
    public static func to<T: Entity>(
        _ path: FieldPath<E, Ref<T>?>, field: String? = nil, onDelete rule: OptionalReferenceRule
    ) -> Relation {
        let rule: RelationDescription.Rule =
            switch rule {
            case .cascade: .cascade
            case .nullify: .nullify
            case .deny: .deny
            }
        return Relation(IndexPart(path), T.self, .optional, rule, field)
    }

    /// References in an order that is kept.
    public static func toMany<T: Entity>(
        _ path: FieldPath<E, [Ref<T>]>, field: String? = nil, onDelete rule: ReferenceListRule
    ) -> Relation {
        Relation(IndexPart(path), T.self, .many, Self.rule(rule), field)
    }

    /// References in an order that is kept, or nil.
    public static func toMany<T: Entity>(
        _ path: FieldPath<E, [Ref<T>]?>, field: String? = nil, onDelete rule: ReferenceListRule
    ) -> Relation {
        Relation(IndexPart(path), T.self, .many, Self.rule(rule), field)
    }

    /// References without an order.
    public static func toMany<T: Entity>(
        _ path: FieldPath<E, Set<Ref<T>>>, field: String? = nil, onDelete rule: ReferenceListRule
    ) -> Relation {
        Relation(IndexPart(path), T.self, .many, Self.rule(rule), field)
    }

    private static func rule(_ rule: ReferenceListRule) -> RelationDescription.Rule {
        switch rule {
        case .cascade: .cascade
        case .remove: .remove
        case .deny: .deny
        }
    }

    private init(
        _ part: IndexPart<E>, _ target: any Entity.Type, _ kind: RelationDescription.Kind,
        _ rule: RelationDescription.Rule, _ field: String?
    ) {
        self.part = part
        self.target = target
        self.kind = kind
        self.rule = rule
        givenField = field
    }
}

extension Relation {
    /// The name of the stored field.
    ///
    /// - Throws: `StoreError` with `.invalidSchema` if the key path does not show it, and none was
    ///   given.
    func field() throws -> String {
        if let name = givenField ?? FieldName.of(part.path) { return name }
        throw StoreError(
            .invalidSchema,
            "the stored name of the relation \(part.path) cannot be told from the key path, which "
                + "is computed, observed or wrapped, or leads into another value; give it: "
                + ".to(…, field: \"name\", onDelete: …)",
            at: StoreError.Place(entity: E.entityName))
    }

    /// The index of the relation: of a list, with an entry for each element.
    func index(of field: String) throws -> IndexDefinition {
        let index = Index(parts: [part], isUnique: false, givenFields: [field])
        return try index.definition(isMultiValued: kind == .many)
    }
}
