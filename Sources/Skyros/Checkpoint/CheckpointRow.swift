/// One row of an entity's table, on its way to or from a checkpoint.
package struct CheckpointRow {
    /// The row's number in its table.
    package let number: Int64
    /// The sequence of the newest event that wrote the record; 0 if it is not known.
    package let sequence: UInt64
    /// The canonical id; valid until the closure that got the row returns.
    package let id: UnsafeRawBufferPointer
    /// The canonical record; valid until the closure that got the row returns.
    package let record: UnsafeRawBufferPointer

    package init(
        number: Int64, sequence: UInt64, id: UnsafeRawBufferPointer,
        record: UnsafeRawBufferPointer
    ) {
        self.number = number
        self.sequence = sequence
        self.id = id
        self.record = record
    }
}
