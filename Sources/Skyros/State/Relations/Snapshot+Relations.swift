/// The relations of a snapshot's entities, found by key path or by name.
extension Snapshot {
    /// The relation by a property.
    ///
    /// - Throws: `StoreError` with `.unknownRelation` if the type declares none; `.unknownEntity`.
    func relation<E: Entity, R: References>(
        _ path: FieldPath<E, R>
    ) throws -> RelationDefinition {
        try relation(of: E.self, FieldID(path), "\(path)")
    }

    /// The same of a property that is given by its field.
    ///
    /// - Parameter path: the key path in words, for an error.
    func relation<E: Entity>(
        of type: E.Type, _ field: FieldID, _ path: @autoclosure () -> String
    ) throws -> RelationDefinition {
        // Another type that reads the records by their name has other fields.
        if let index = try tableIndex(of: type), tables[index].type == type,
            let found = tables[index].relations?.own.first(where: { $0.fieldID == field })
        {
            return found
        }
        throw Self.unknown(
            E.entityName, "the property \(path())",
            "add .to(…, onDelete: …) or .toMany(…, onDelete: …) with this key path to "
                + "`static let relations` of \(type)")
    }

    /// The records of an entity that refer to a record by a field, without their Swift type, in the
    /// order of their ids.
    ///
    ///     let cards = try store.snapshot.records("Card", referringBy: "board", to: RecordID(id))
    ///
    /// In a store without types, or of an entity without one, the relations are those that the log
    /// has recorded; an ``Archive`` that was opened without types knows none.
    ///
    /// - Complexity: O(log n + records found).
    /// - Throws: `StoreError` with `.unknownRelation` if the entity has no relation by the field;
    ///   `.unknownEntity`; `.evolutionFailed`, also if the entity has no type, and records of an
    ///   older shape which only the type brings to the newest.
    public func records(
        _ entity: String, referringBy field: String, to target: RecordID
    ) throws -> [Record] {
        let relation = try relation(entity, field)
        let table = tables[relation.table]
        return try table.referrers(by: relation, to: target).map { try table.record($0) }
    }

    private func relation(_ entity: String, _ field: String) throws -> RelationDefinition {
        guard let table = table(entity) else {
            throw StoreError.unknownEntity(entity, adding: "the type of \"\(entity)\"")
        }
        let own = table.relations?.own ?? []
        let found = own.first { $0.description.field.isSameName(as: field) }
        guard let found else {
            let names = own.map { "\"\($0.description.field)\"" }.joined(separator: ", ")
            throw Self.unknown(
                entity, "the field \"\(field)\"",
                own.isEmpty ? "it declares none" : "it declares relations by \(names)")
        }
        return found
    }

    private static func unknown(
        _ entity: String, _ property: String, _ remedy: String
    ) -> StoreError {
        StoreError(
            .unknownRelation,
            "the entity \"\(entity)\" declares no relation by \(property); \(remedy)",
            at: StoreError.Place(entity: entity))
    }
}
