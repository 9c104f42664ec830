/// A relation without its Swift types, by stored names: a form that can be stored and compared.
///
///     for relation in store.relations { print(relation) }
///     // Card.board → Board, on delete cascade
public struct RelationDescription: Hashable, Codable, Sendable {
    /// How many records one record refers to.
    public enum Kind: String, Codable, Sendable {
        /// Exactly one: `Ref<Board>`.
        case one
        /// One or none: `Ref<User>?`.
        case optional
        /// Any number, in an order: `[Ref<Card>]`.
        case many
    }

    /// What happens to a record when a record that it refers to is deleted.
    public enum Rule: String, Codable, Sendable {
        /// It is deleted too.
        case cascade
        /// The reference becomes nil.
        case nullify
        /// The reference is removed from the list.
        case remove
        /// The deletion is refused.
        case deny
    }

    /// The entity whose records refer to others.
    public let entity: String
    /// The stored field that holds the references.
    public let field: String
    /// The entity that is referred to.
    public let target: String
    /// How many records one record refers to.
    public let kind: Kind
    /// What a deletion of the target does.
    public let rule: Rule
}

extension RelationDescription: CustomStringConvertible {
    /// `Card.board → Board, on delete cascade`; a list has `[]` after the field.
    public var description: String {
        "\(entity).\(field)\(kind == .many ? "[]" : "") → \(target), on delete \(rule.rawValue)"
    }
}
