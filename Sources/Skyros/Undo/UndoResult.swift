/// What an undo did.
public struct UndoResult: Sendable {
    /// The event of the undo. Its undo is a redo.
    public let sequence: SequenceNumber
    /// The proof of that event.
    public let receipt: Receipt
    /// The events that were taken back: ascending ranges with gaps between them.
    public let events: [ClosedRange<SequenceNumber>]
    /// The number of records that went back, without those that the rules of relations have changed
    /// with them.
    public let changeCount: Int
    /// The conflicts about which the resolution has decided.
    public let conflicts: [UndoConflict]
}
