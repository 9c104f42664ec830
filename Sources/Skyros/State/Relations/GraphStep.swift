/// A relation that is followed when a graph of records is loaded, in one direction.
///
///     let graph = try store.graph(
///         of: author.ref,
///         following: [.inverse(\Book.author), .forward(\Book.translators, depth: 2)])
///
/// `depth` bounds the way: a relation is followed from records that are fewer than `depth` steps
/// away from the roots. Without a bound it is followed to the end; cycles end, because each record
/// is visited once.
public struct GraphStep: Sendable {
    /// A relation with a direction, in the positions of a snapshot.
    struct Resolved {
        let relation: RelationDefinition
        let isInverse: Bool
        let depth: Int
    }

    /// A property of an entity, without its types.
    private struct Property: Sendable {
        let entity: any Entity.Type
        let field: FieldID
        let path: String
    }

    /// Nil for all relations of all entities.
    private let property: Property?
    private let isInverse: Bool
    private let depth: Int

    /// From a record to those that its property refers to.
    public static func forward<E: Entity, R: References>(
        _ path: FieldPath<E, R>, depth: Int = .max
    ) -> GraphStep {
        GraphStep(property: property(path), isInverse: false, depth: depth)
    }

    /// From a record to those whose property refers to it.
    public static func inverse<E: Entity, R: References>(
        _ path: FieldPath<E, R>, depth: Int = .max
    ) -> GraphStep {
        GraphStep(property: property(path), isInverse: true, depth: depth)
    }

    /// By every relation of all entities to the records that are referred to.
    public static func allForward(depth: Int = .max) -> GraphStep {
        GraphStep(property: nil, isInverse: false, depth: depth)
    }

    /// By every relation of all entities to the records that refer.
    public static func allInverse(depth: Int = .max) -> GraphStep {
        GraphStep(property: nil, isInverse: true, depth: depth)
    }

    private static func property<E: Entity, R: References>(_ path: FieldPath<E, R>) -> Property {
        Property(entity: E.self, field: FieldID(path), path: "\(path)")
    }

    /// The relations of the step.
    ///
    /// - Throws: `StoreError` with `.unknownRelation` if the property has none; `.unknownEntity`.
    func resolve(in snapshot: Snapshot) throws -> [Resolved] {
        let relations: [RelationDefinition]
        if let property {
            relations = [
                try snapshot.relation(of: property.entity, property.field, property.path)
            ]
        } else {
            relations = snapshot.tables.flatMap { $0.relations?.own ?? [] }
        }
        return relations.map { Resolved(relation: $0, isInverse: isInverse, depth: depth) }
    }
}
