extension EntitySchema {
    /// The relations of the entity's records that the log has recorded, in the order of their
    /// declarations. Those of a kind or with a rule that this version does not know are left out:
    /// without the entity's type, no record of it is written then.
    ///
    ///     let schema = store.snapshot.recordedSchemas["Card"]
    ///     for relation in schema?.relations(of: "Card") ?? [] { print(relation) }
    public func relations(of entity: String) -> [RelationDescription] {
        relationValues.compactMap { RelationDescription($0, of: entity) }
    }

    /// The entities to which relations lead that this version does not know; nil in place of a name
    /// that it cannot read.
    var unknownTargets: [String?] {
        relationValues.filter { RelationDescription($0, of: "") == nil }.map { value in
            guard let parts = value.array, parts.count > 1 else { return nil }
            return parts[1].text
        }
    }

    /// Whether it may refuse a write without the entity's type: by rules, or by steps that only the
    /// app can take.
    package var restrictsWrites: Bool {
        !uniqueIndexes.isEmpty || !relationValues.isEmpty || !unknownParts.isEmpty
            || requiresReason || version > Evolver.firstVersion
    }

    /// The relations as they are recorded. What is no list counts as one that is not known.
    private var relationValues: [FieldValue] {
        guard let value = parts[Key.relations] else { return [] }
        return value.array ?? [value]
    }
}

extension RelationDescription {
    /// The relation that a schema event records; nil if this version does not know it.
    fileprivate init?(_ value: FieldValue, of entity: String) {
        guard let values = value.array else { return nil }
        let parts = values.compactMap(\.text)
        guard parts.count == 4, values.count == 4, let kind = Kind(rawValue: parts[2]),
            let rule = Rule(rawValue: parts[3])
        else { return nil }
        self.init(entity: entity, field: parts[0], target: parts[1], kind: kind, rule: rule)
    }

    /// The texts by which a schema event records the relation.
    var schemaParts: [String] { [field, target, kind.rawValue, rule.rawValue] }
}
