/// Records that have the same values in a unique index: they existed before the index was declared,
/// or are of an older shape.
public struct DuplicateRecords: Hashable, Sendable {
    /// The entity of the records.
    public let entity: String
    /// The stored names of the index's fields.
    public let fields: [String]
    /// The stored values of the first record; null if it lacks the field.
    public let values: [FieldValue]
    /// The records.
    public let ids: [RecordID]
}
