/// The entities without a type are held to what the log has recorded of them.
extension Snapshot {
    /// Gives each entity without a type the unique indexes and relations that the log has recorded,
    /// and those that are referred to the incoming ones.
    ///
    /// Does nothing in a store that writes no such entities. Call it after a fold, and again after
    /// further events of others: indexes whose schema is the same are kept.
    ///
    /// - Complexity: O(entities), and O(n log n) for the records of each new index.
    /// - Throws: `StoreError` with `.invalidEvent` if a record cannot be read.
    mutating func adoptRecordedSchemas() throws {
        guard acceptsEntities else { return }
        var relations: [RelationDefinition] = []
        for (entity, schema) in schemas {
            // Types declare what their entities are held to.
            let known = table(entity)
            if known?.type != nil { continue }
            let shape = RecordedShape(schema, of: entity)
            if shape.isEmpty, known == nil { continue }
            let position = tableIndex(of: entity)
            if tables[position].recorded?.schema != schema { try tables[position].adopt(shape) }
            relations += shape.relations.map { relation in
                RelationDefinition(
                    relation.description, nil, table: position, index: relation.index,
                    target: tableIndex(of: relation.description.target))
            }
        }
        connect(relations)
    }

    /// Connects the tables by recorded relations, instead of those of the last call.
    private mutating func connect(_ recorded: [RelationDefinition]) {
        for index in tables.indices {
            let declared = tables[index].relations
            let own =
                tables[index].type == nil
                ? recorded.filter { $0.table == index } : declared?.own ?? []
            let incoming =
                (declared?.incoming ?? []).filter { tables[$0.table].type != nil }
                + recorded.filter { $0.target == index }
            let hasNone = own.isEmpty && incoming.isEmpty
            tables[index].relations = hasNone ? nil : EntityRelations(own: own, incoming: incoming)
        }
    }
}
