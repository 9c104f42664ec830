/// The entities that a store was opened with.
package struct Schema: Sendable {
    /// One entity without its Swift type.
    package struct EntityDefinition: Sendable {
        package let name: String
        let type: any Entity.Type
        package internal(set) var indexes: [IndexDefinition]
        /// The steps of the entity's evolution; nil if it has its first shape.
        let evolver: Evolver?
        /// The encoded prototype; nil if there is none.
        let prototype: [UInt8]?
        /// Nil if the entity has no relations, and none refer to it.
        var relations: EntityRelations?
        /// Whether events that change its records need a reason.
        var requiresReason: Bool
    }

    package let entities: [EntityDefinition]

    /// A schema without entities, for tools.
    package static let untyped = Schema(entities: [])

    private init(entities: [EntityDefinition]) {
        self.entities = entities
    }

    /// The schema of the given types.
    ///
    /// - Throws: `StoreError` with `.invalidSchema` if there are none, if two have the same name,
    ///   or if an index cannot be set up.
    package init(_ types: [any Entity.Type]) throws {
        guard !types.isEmpty else {
            throw StoreError(
                .invalidSchema, "the schema is empty; name at least one entity type")
        }
        var definitions: [EntityDefinition] = []
        for type in types {
            let definition = try Self.define(type)
            if let other = definitions.first(where: { $0.name.isSameName(as: definition.name) }) {
                throw StoreError(
                    .invalidSchema,
                    "\(other.type) and \(type) both have the entity name \"\(other.name)\"; "
                        + "give one of them a `static let entityName`",
                    at: StoreError.Place(entity: other.name))
            }
            definitions.append(definition)
        }
        entities = try Self.connecting(definitions)
    }

    /// The same entities, whose changes all need a reason.
    func requiringReasons() -> Schema {
        Schema(
            entities: entities.map { entity in
                var entity = entity
                entity.requiresReason = true
                return entity
            })
    }

    /// The position of a type among the entities; nil if it is not one of them.
    func index(of type: ObjectIdentifier) -> Int? {
        for index in entities.indices where ObjectIdentifier(entities[index].type) == type {
            return index
        }
        return nil
    }

    func definition(named name: String) -> EntityDefinition? {
        entities.first { $0.name.isSameName(as: name) }
    }

    private static func define<E: Entity>(_ type: E.Type) throws -> EntityDefinition {
        let name = E.entityName
        guard !name.isEmpty else {
            throw StoreError(.invalidSchema, "the entity name of \(type) is empty; return another")
        }
        let evolver = E.evolution.evolver
        if let problem = evolver?.problem {
            throw StoreError(
                .invalidSchema, "the evolution of \(type) cannot be followed: \(problem)",
                at: StoreError.Place(entity: name))
        }
        return EntityDefinition(
            name: name, type: type,
            indexes: try E.indexes.map { try $0.definition().evolved(by: evolver, of: name) },
            evolver: evolver, prototype: try PrototypeFields.encoded(of: type),
            requiresReason: E.requiresReason)
    }
}
