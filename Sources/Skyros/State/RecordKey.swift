/// A record by its table and id.
struct RecordKey: Hashable, Sendable {
    /// The position of the table in the snapshot.
    let table: Int
    let id: RecordID
}
