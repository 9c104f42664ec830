/// A record that two data stores do not have in the same way, or a write that one of them refused.
///
/// If a store refuses to delete all records of an entity, and then to read them, there is one
/// difference for the entity, without an id.
public struct StoreDifference: Sendable {
    /// The entity of the record.
    public let entity: String
    /// The id of the record; nil for all records of the entity.
    public let id: RecordID?
    /// The record in the primary store; nil if there is none.
    public let primary: Record?
    /// The record in the shadow; nil if there is none.
    public let shadow: Record?
    /// What the shadow threw when it was to be written; nil if it did not.
    public let cause: (any Error)?
}

extension StoreDifference: CustomStringConvertible {
    /// The record, what differs, and why.
    public var description: String {
        let what =
            switch (primary, shadow) {
            case (let primary?, let shadow?):
                "differs in \(Self.fields(primary, shadow).joined(separator: ", "))"
            case (nil, .some): "is in the shadow only"
            case (.some, nil): "is not in the shadow"
            case (nil, nil): "cannot be compared"
            }
        return "\(entity) \(id.map { "\($0) " } ?? "")\(what)" + (cause.map { " (\($0))" } ?? "")
    }

    private static func fields(_ a: Record, _ b: Record) -> [String] {
        let names = Set(a.fieldNames).union(b.fieldNames).filter { a[$0] != b[$0] }
        return names.isEmpty ? ["its bytes"] : names.sorted()
    }
}
