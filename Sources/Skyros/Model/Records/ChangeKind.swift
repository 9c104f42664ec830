/// What an event did to a record.
public enum ChangeKind: Hashable, CaseIterable, Sendable {
    /// The record was created.
    case inserted
    /// Fields of the record changed.
    case updated
    /// The record was deleted, alone or with all records of its entity.
    case deleted
}

/// Kinds of changes: which ones an observer wants.
///
///     store.live(Card.self, on: .inserts)
///     store.changes(of: Card.self, on: [.updates, .deletes])
public struct ChangeKinds: OptionSet, Hashable, Sendable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// The kinds with these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Records that are created.
    public static let inserts = ChangeKinds(rawValue: 1)
    /// Records whose fields change.
    public static let updates = ChangeKinds(rawValue: 2)
    /// Records that are deleted, alone or with all records of their entity.
    public static let deletes = ChangeKinds(rawValue: 4)
    /// Every change.
    public static let all: ChangeKinds = [.inserts, .updates, .deletes]
}

extension ChangeKinds {
    init(_ kind: ChangeKind) {
        switch kind {
        case .inserted: self = .inserts
        case .updated: self = .updates
        case .deleted: self = .deletes
        }
    }
}
