/// A record that a child store and its parent have changed in ways that exclude each other.
///
///     do {
///         try draft.merge(policy: .fail)
///     } catch let error as StoreError where error.code == .mergeConflict {
///         for conflict in error.conflicts { print(conflict) }
///     }
public struct MergeConflict: Hashable, Sendable {
    /// How the two sides exclude each other.
    public enum Kind: Hashable, Sendable {
        /// Both gave a field different values.
        case updatedByBoth
        /// Both inserted a record with this id, with different values in a field.
        case insertedByBoth
        /// The parent deleted the record, and the child changed it.
        case deletedByParent
        /// The child deleted the record, and the parent changed it.
        case deletedByChild
        /// Both changed different fields, and their type refuses to read the result; or, without
        /// a type, the two have shapes of which one cannot be brought to the other.
        case unreadableTogether
    }

    /// How the two sides exclude each other.
    public let kind: Kind
    /// The entity of the record.
    public let entity: String
    /// The record's id.
    public let id: RecordID
    /// The names of the fields that both changed; of ``Kind/unreadableTogether`` those that one
    /// of them changed. Empty if one side deleted the record.
    public let fields: [String]
    /// The record from which both sides started; nil if there was none.
    public let base: Record?
    /// The parent's record; nil if there is none.
    public let parent: Record?
    /// The child's record; nil if there is none.
    public let child: Record?
}

extension MergeConflict: CustomStringConvertible {
    /// The record, and what the two sides did to it.
    public var description: String {
        let names = fields.map { "\"\($0)\"" }.joined(separator: ", ")
        let fact =
            switch kind {
            case .updatedByBoth: "parent and child both changed \(names)"
            case .insertedByBoth: "parent and child both inserted it, with different \(names)"
            case .deletedByParent: "the parent deleted it, the child changed it"
            case .deletedByChild: "the child deleted it, the parent changed it"
            case .unreadableTogether:
                "parent and child changed \(names), which cannot be read together"
            }
        return "\(entity) \(id): \(fact)"
    }
}

extension StoreError {
    /// The error of a merge that these conflicts stop.
    static func mergeConflict(_ conflicts: [MergeConflict]) -> StoreError {
        let list = conflicts.prefix(3).map(\.description).joined(separator: "; ")
        let more = conflicts.count > 3 ? "; and \(conflicts.count - 3) more" : ""
        let first = conflicts.first
        let entity = first?.entity
        let ids = conflicts.filter { $0.entity == entity }.map(\.id)
        return StoreError(
            .mergeConflict,
            "the child was not merged, and keeps its edits: \(list)\(more). Merge with another "
                + "policy, such as .childWins, .parentWins, or .resolve with a closure",
            at: Place(entity: entity, ids: ids, field: first?.fields.first), conflicts: conflicts)
    }
}
