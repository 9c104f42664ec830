/// What an event did to one record of a type.
///
///     for change in try event.changes(of: Order.self) where change.kind == .updated {
///         print(change.id, try change.before?.status, try change.after?.status)
///     }
public struct RecordChange<E: Entity>: Sendable {
    @usableFromInline let rows: ChangedRow

    @inlinable
    init(_ rows: ChangedRow) {
        self.rows = rows
    }

    /// The record before the event; nil if there was none. It is decoded by the first reader.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if it does not fit the type.
    @inlinable public var before: E? {
        get throws { try rows.old?.inlinedValue(as: E.self) }
    }

    /// The record after the event; nil if the event deleted it. It is decoded by the first reader.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if it does not fit the type.
    @inlinable public var after: E? {
        get throws { try rows.new?.inlinedValue(as: E.self) }
    }

    /// The id of the record, without its Swift type.
    public var id: RecordID { rows.id }

    /// Whether the record was inserted, updated or deleted.
    public var kind: ChangeKind { rows.kind }
}

/// A row before and after an event; at least one of them exists.
@usableFromInline
struct ChangedRow: Sendable {
    let id: RecordID
    @usableFromInline let old: Row?
    @usableFromInline let new: Row?

    /// A row that was put into a table.
    init(_ new: Row, replacing old: Row?) {
        (id, self.old, self.new) = (new.id, old, new)
    }

    /// A row that was removed from a table.
    init(removed old: Row) {
        (id, self.old, new) = (old.id, old, nil)
    }

    var kind: ChangeKind { old == nil ? .inserted : new == nil ? .deleted : .updated }
}
