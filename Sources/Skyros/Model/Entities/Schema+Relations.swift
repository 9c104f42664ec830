/// The relations between the entities of a schema.
extension Schema {
    /// The entities with their relations, and with the indexes of these.
    ///
    /// - Throws: `StoreError` with `.unknownEntity` if a relation refers to an entity that is not
    ///   one of them; `.invalidSchema` if its stored field cannot be told, or has two relations.
    static func connecting(_ entities: [EntityDefinition]) throws -> [EntityDefinition] {
        var entities = entities
        var all: [RelationDefinition] = []
        for position in entities.indices {
            all += try relations(of: entities[position].type, at: position, &entities)
        }
        if all.isEmpty { return entities }
        for position in entities.indices {
            let own = all.filter { $0.table == position }
            let incoming = all.filter { $0.target == position }
            if own.isEmpty, incoming.isEmpty { continue }
            entities[position].relations = EntityRelations(own: own, incoming: incoming)
        }
        return entities
    }

    /// All relations, in the order of the entities and of their declarations.
    package var relations: [RelationDescription] {
        entities.flatMap { $0.relations?.own.map(\.description) ?? [] }
    }

    private static func relations<E: Entity>(
        of type: E.Type, at position: Int, _ entities: inout [EntityDefinition]
    ) throws -> [RelationDefinition] {
        var found: [RelationDefinition] = []
        for relation in E.relations {
            let field = try relation.field()
            guard !found.contains(where: { $0.description.field.isSameName(as: field) }) else {
                throw StoreError(
                    .invalidSchema, "\(type) declares two relations by the field \"\(field)\"",
                    at: StoreError.Place(entity: E.entityName, field: field))
            }
            let id = ObjectIdentifier(relation.target)
            let target = entities.firstIndex { ObjectIdentifier($0.type) == id }
            guard let target else { throw missing(relation.target, of: type, field) }
            let description = RelationDescription(
                entity: E.entityName, field: field, target: entities[target].name,
                kind: relation.kind, rule: relation.rule)
            let index = try index(of: relation, field, &entities[position].indexes)
            found.append(
                RelationDefinition(
                    description, relation.part.field, table: position, index: index,
                    target: target))
        }
        return found
    }

    /// The position of the relation's index: of one that was declared anyway, or of a new one.
    private static func index<E: Entity>(
        of relation: Relation<E>, _ field: String, _ indexes: inout [IndexDefinition]
    ) throws -> Int {
        if let declared = indexes.position(ofRelationBy: field, relation.kind) { return declared }
        let index = try relation.index(of: field)
        indexes.append(index.evolved(by: E.evolution.evolver, of: E.entityName))
        return indexes.count - 1
    }

    private static func missing<E: Entity>(
        _ target: any Entity.Type, of type: E.Type, _ field: String
    ) -> StoreError {
        StoreError(
            .unknownEntity,
            "the relation by \"\(field)\" of \(type) refers to \(target), which is not among the "
                + "types of the store; add \(target).self to the types with which it is opened",
            at: StoreError.Place(entity: E.entityName, field: field))
    }
}

extension [IndexDefinition] {
    /// The position of the index that serves a relation by a field; nil if there is none.
    func position(ofRelationBy field: String, _ kind: RelationDescription.Kind) -> Int? {
        firstIndex { index in
            index.fields.count == 1 && index.fields[0].isSameName(as: field)
                && index.isMultiValued == (kind == .many)
        }
    }
}
