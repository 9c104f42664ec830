/// A stored record that cannot be read as the type of its entity.
public struct UnreadableRecord: Hashable, Sendable {
    /// The record as it is stored, with all of its fields.
    public let record: Record
    /// Why it cannot be read: `.notDecodable`, with the field in its place.
    public let error: StoreError

    /// The record's id.
    public var id: RecordID { record.id }
}
