import SkyrosLog

/// A relation as the store works with it: by stored fields, and by positions in the schema.
package final class RelationDefinition: Sendable {
    package let description: RelationDescription
    let field: IndexField
    /// The property of the entity's Swift type; nil for a relation that the log has recorded.
    let fieldID: FieldID?
    /// The position of the table of the entity that refers to others.
    let table: Int
    /// The position of the index among those of the entity.
    let index: Int
    /// The position of the table of the entity that is referred to.
    let target: Int

    init(
        _ description: RelationDescription, _ fieldID: FieldID?, table: Int, index: Int,
        target: Int
    ) {
        self.description = description
        field = IndexField(description.field)
        self.fieldID = fieldID
        self.table = table
        self.index = index
        self.target = target
    }
}

/// The relations of one entity.
final class EntityRelations: Sendable {
    /// Those that it declares, by which its records refer to others.
    let own: [RelationDefinition]
    /// Those by which others, or its own records, refer to its records.
    let incoming: [RelationDefinition]

    init(own: [RelationDefinition], incoming: [RelationDefinition]) {
        self.own = own
        self.incoming = incoming
    }

    /// Whether records of other entities may refer to its records.
    var isReferredToByOthers: Bool { incoming.contains { $0.table != $0.target } }
}
