/// What an undo would do to the state after an event.
///
///     let plan = try store.undoPlan(of: .event(4_711))
///     for change in plan.changes { print(change.kind, change.entity, change.id) }
///     for conflict in plan.conflicts { print(conflict) }
public struct UndoPlan: Sendable {
    /// The events that it takes back: ascending ranges with gaps between them.
    public let events: [ClosedRange<SequenceNumber>]
    /// The event after which it was made. An undo plans again, on the newest state.
    public let sequence: SequenceNumber
    /// The records that it changes, by entity and id: those that go back, and those that the rules
    /// of relations change with them.
    ///
    /// If the plan is refused, these are the records without a conflict, without such rules.
    public let changes: [RecordDifference]
    /// The records that are not as the events left them: those about which the resolution has
    /// decided, or those that stop the undo, if the plan is refused.
    public let conflicts: [UndoConflict]
    /// Whether conflicts stop the undo: it would throw `.conflict`, and write nothing.
    public let isRefused: Bool
    /// Whether a record that it changes asks for a reason, without which the undo would throw
    /// `.reasonRequired`.
    public let needsReason: Bool
}
