/// One row of an entity's table, on its way to or from a checkpoint.
struct CheckpointRow {
    /// The row's number in its table.
    let number: Int64
    /// The sequence of the newest event that wrote the record; 0 if it is not known.
    let sequence: UInt64
    /// The version of the record's shape.
    var version = Evolver.firstVersion
    /// The canonical id; valid until the closure that got the row returns.
    let id: UnsafeRawBufferPointer
    /// The canonical record; valid until the closure that got the row returns.
    let record: UnsafeRawBufferPointer
}
