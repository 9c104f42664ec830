/// A reference to a record of another entity, or of the same one: its id, with its type.
///
///     struct Card: Entity {
///         var id = UUID()
///         var board: Ref<Board>
///         var assignee: Ref<User>?
///         var blockedBy: [Ref<Card>] = []
///         static let relations: [Relation<Card>] = [
///             .to(\.board, onDelete: .cascade),
///             .to(\.assignee, onDelete: .nullify),
///             .toMany(\.blockedBy, onDelete: .remove),
///         ]
///     }
///
///     let card = Card(board: board.ref)
///     let owner = try store.get(card.board)
///
/// It is stored exactly as the id, so a property of the id's type may become a reference and the
/// reverse. A reference is a value and loads nothing: reading the record is a lookup by id. The
/// store checks a reference only if the entity declares it as a ``Relation``.
public struct Ref<Target: Entity>: Hashable, Sendable {
    /// The id of the record.
    public let id: Target.ID

    /// A reference to the record with this id.
    public init(_ id: Target.ID) {
        self.id = id
    }

    /// A reference to the record of this value.
    public init(_ value: Target) {
        self.init(value.id)
    }
}

extension Ref: Codable {
    /// Reads the id.
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(Target.ID.self)
    }

    /// Writes the id, as the record itself does.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}

extension Ref: CustomStringConvertible {
    /// The entity and the id.
    public var description: String { "\(Target.entityName) \(id)" }
}

extension Ref: ReferenceType {
    static var idType: Any.Type { Target.ID.self }
}

extension Entity {
    /// A reference to the record of this value.
    public var ref: Ref<Self> { Ref(id) }
}
