extension EntitySchema {
    /// The relations of the entity's records that the log has recorded, in the order of their
    /// declarations. Those of a kind or with a rule that this version does not know are left out:
    /// without the entity's type, no record of it is written then.
    ///
    ///     let schema = store.snapshot.recordedSchemas["Card"]
    ///     for relation in schema?.relations(of: "Card") ?? [] { print(relation) }
    public func relations(of entity: String) -> [RelationDescription] {
        texts(of: Key.relations).compactMap { parts in
            guard parts.count == 4, let kind = RelationDescription.Kind(rawValue: parts[2]),
                let rule = RelationDescription.Rule(rawValue: parts[3])
            else { return nil }
            return RelationDescription(
                entity: entity, field: parts[0], target: parts[1], kind: kind, rule: rule)
        }
    }

    /// Whether the log has recorded relations that this version does not know.
    var hasUnknownRelations: Bool {
        relations(of: "").count < texts(of: Key.relations).count
    }
}

extension RelationDescription {
    /// The texts by which a schema event records the relation.
    var schemaParts: [String] { [field, target, kind.rawValue, rule.rawValue] }
}
