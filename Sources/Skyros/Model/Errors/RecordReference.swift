/// A reference from one stored record to another, by names and ids.
public struct RecordReference: Hashable, Sendable {
    /// The entity of the record that refers.
    public let entity: String
    /// The id of that record.
    public let id: RecordID
    /// The stored field that holds the reference.
    public let field: String
    /// The entity of the record that is referred to.
    public let target: String
    /// The id of that record.
    public let targetID: RecordID
}

extension RecordReference: CustomStringConvertible {
    /// The record, its field, and the target: `Card 7.board → Board 3`.
    public var description: String { "\(entity) \(id).\(field) → \(target) \(targetID)" }
}

extension [RecordReference] {
    /// The first of them, as a part of an error's message.
    func listed(upTo countMax: Int = 3) -> String {
        let examples = prefix(countMax).map(\.description).joined(separator: ", ")
        return count > countMax ? "\(examples) and \(count - countMax) more" : examples
    }
}
