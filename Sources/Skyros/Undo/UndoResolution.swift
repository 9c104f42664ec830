/// What an undo does about records that are not as the undone events left them.
public enum UndoResolution: String, Hashable, Sendable, CaseIterable, Codable {
    /// Nothing is undone; the error lists the records. The default.
    case refuse
    /// These records stay as they are, and all others go back.
    case skip
    /// These records go back too. What other events have changed in them is lost from the state,
    /// though not from the log. If others refer to a record that the undo deletes, the rules of
    /// their relations apply, as for any deletion.
    case restore
    /// Fields that no other event has changed go back. Where other events have changed the same
    /// field, or deleted or inserted the record, nothing is undone, and the error lists the rest.
    case merge
}
