/// Ends the write block of an undo that conflicts stop.
struct RefusedUndo: Error {
    let conflicts: [UndoConflict]
    /// The event after which they were found.
    let sequence: SequenceNumber
}
