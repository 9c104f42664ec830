/// A record that an undo would change, and that is not as the undone events left it.
///
///     do {
///         try store.undo(sequence, by: "bob")
///     } catch let error as StoreError where error.code == .conflict {
///         for conflict in error.undoConflicts { print(conflict) }
///     }
public struct UndoConflict: Hashable, Sendable {
    /// Why the record cannot simply go back.
    public enum Kind: String, Hashable, Sendable {
        /// Other events have changed it, since the undone ones or between them.
        case changed
        /// The undo would delete it, and records that stay refer to it.
        case referredTo
    }

    /// Why the record cannot simply go back.
    public let kind: Kind
    /// The entity of the record.
    public let entity: String
    /// The record's id.
    public let id: RecordID
    /// The record before the undone events, as it was stored; nil if there was none.
    public let before: Record?
    /// The record as the undone events left it, which the undo expects to find; nil for none.
    public let expected: Record?
    /// The record as it is; nil if there is none.
    public let found: Record?
    /// The fields that the undone events and others have both changed. Empty if they changed
    /// different fields, if one side deleted the record, and if only references are in the way.
    public let fields: [String]
    /// Whether ``UndoResolution/merge`` can undo it, because others changed other fields.
    public let canMerge: Bool
    /// The references that are in the way; empty unless the kind is ``Kind/referredTo``.
    public let references: [RecordReference]
    /// The other events that have changed the record since the first of the undone ones that did,
    /// oldest first.
    public internal(set) var events: [SequenceNumber] = []
}

extension UndoConflict: CustomStringConvertible {
    /// The record, and what is in the way.
    public var description: String {
        let fact =
            switch kind {
            case .referredTo: "others refer to it: \(references.listed())"
            case .changed where found == nil: "it was deleted"
            case .changed where expected == nil: "it was inserted"
            case .changed where !fields.isEmpty:
                "\(fields.map { "\"\($0)\"" }.joined(separator: ", ")) changed"
            case .changed: "it was changed"
            }
        return "\(entity) \(id): \(fact)\(events.isEmpty ? "" : " by \(eventList)")"
    }

    private var eventList: String {
        let list = events.prefix(3).map(\.description).joined(separator: ", ")
        let more = events.count > 3 ? " and \(events.count - 3) more" : ""
        return (events.count == 1 ? "event " : "events ") + list + more
    }
}

extension StoreError {
    /// The error of an undo that these conflicts stop.
    static func undoConflict(_ conflicts: [UndoConflict]) -> StoreError {
        let list = conflicts.prefix(3).map(\.description).joined(separator: "; ")
        let more = conflicts.count > 3 ? "; and \(conflicts.count - 3) more" : ""
        let first = conflicts.first
        let ids = conflicts.filter { $0.entity == first?.entity }.map(\.id)
        return StoreError(
            .conflict,
            "nothing was undone: \(list)\(more). Undo with another resolution: .skip leaves these "
                + "records, .merge takes back the fields that no other event has changed, .restore "
                + "takes back everything",
            at: Place(
                entity: first?.entity, ids: ids, field: first?.fields.first,
                references: conflicts.flatMap(\.references)),
            undoConflicts: conflicts)
    }
}
