/// What the log has recorded of an entity without a type, and to which its writes are held: unique
/// indexes, relations, and the steps by which records of an older shape are read.
final class RecordedShape: Sendable {
    /// A relation, and the position of its index.
    struct Relation: Sendable {
        let description: RelationDescription
        let index: Int
    }

    /// What the log has recorded.
    let schema: EntitySchema
    /// The recorded steps. Those that only the app's type knows throw.
    let evolver: Evolver
    /// The unique indexes, and those of relations.
    let indexes: [IndexDefinition]
    let relations: [Relation]
    /// The names of parts that this version does not understand. No record of the entity is written
    /// then.
    let unknownParts: [String]
    /// The entities to which relations lead that this version does not know; nil in place of a name
    /// that it cannot read.
    private let unknownTargets: [String?]

    init(_ schema: EntitySchema, of entity: String) {
        self.schema = schema
        unknownTargets = schema.unknownTargets
        unknownParts = schema.unknownParts + (unknownTargets.isEmpty ? [] : ["relations"])
        let evolver = schema.recordedEvolver
        self.evolver = evolver
        var indexes = schema.uniqueIndexes.filter { !$0.isEmpty }
            .map { IndexDefinition(fields: $0, isUnique: true) }
        var relations: [Relation] = []
        for relation in schema.relations(of: entity) {
            let isRepeated = relations.contains {
                $0.description.field.isSameName(as: relation.field)
            }
            // A schema of ours has one relation for each field.
            if isRepeated { continue }
            let index = Self.index(of: relation, in: &indexes)
            relations.append(Relation(description: relation, index: index))
        }
        self.indexes = indexes.map { $0.evolved(by: evolver, of: entity) }
        self.relations = relations
    }

    /// Throws if the log records rules that this version cannot keep.
    ///
    /// - Throws: `StoreError` with `.unsupportedFormat`.
    func requireKnownRules(of entity: String) throws {
        if unknownParts.isEmpty { return }
        throw StoreError(
            .unsupportedFormat,
            "the log records rules of \"\(entity)\" that this version does not know: "
                + "\(unknownParts.joined(separator: ", ")). Nothing was written; use the version "
                + "that wrote the store, or open it with the app's types",
            at: StoreError.Place(entity: entity))
    }

    /// Throws if a relation that this version does not know may lead to the records of `target`: it
    /// may say what becomes of the entity's records when one of those is deleted.
    ///
    /// - Throws: `StoreError` with `.unsupportedFormat`.
    func requireKnownRules(of entity: String, deletingFrom target: String) throws {
        let isConcerned = unknownTargets.contains { $0?.isSameName(as: target) ?? true }
        guard isConcerned else { return }
        throw StoreError(
            .unsupportedFormat,
            "records of \"\(entity)\" may refer to those of \"\(target)\" by a relation that this "
                + "version does not know, so that it cannot keep the rule for deletions. Nothing "
                + "was written; use the version that wrote the store, or open it with the app's "
                + "types",
            at: StoreError.Place(entity: target))
    }

    /// Whether it restricts no write.
    var isEmpty: Bool { indexes.isEmpty && unknownParts.isEmpty && !requiresReason }

    /// Whether events that change the entity's records need a reason.
    var requiresReason: Bool { schema.requiresReason }

    /// The position of a relation's index: of a unique one by the same field, or of a new one.
    private static func index(
        of relation: RelationDescription, in indexes: inout [IndexDefinition]
    ) -> Int {
        if let known = indexes.position(ofRelationBy: relation.field, relation.kind) {
            return known
        }
        indexes.append(
            IndexDefinition(
                keyFields: [IndexField(relation.field)], isUnique: false, fieldIDs: [],
                isMultiValued: relation.kind == .many))
        return indexes.count - 1
    }
}
