public import Foundation

extension WriteTransaction {
    /// The time of the event that the block becomes: the same each time in one block.
    ///
    ///     let now = tx.now
    ///     try tx.update(Card.self, id) { $0.movedAt = now }
    ///
    /// A command takes the time from here, not from `Date()`: then it gets the time of its event
    /// when it is executed again. It is later than that of the event before, whatever the clock
    /// says. In a block of `writeConcurrently` or of a child store it is the time at which the
    /// block runs.
    public var now: Date {
        // The block of an exchanged transaction throws at its end.
        isCurrent ? overlay.time.date : EventTime.zero.date
    }

    /// A new random id, for a record that the block inserts.
    ///
    ///     try tx.insert(Card(id: tx.newID(), title: "…"))
    ///
    /// A command takes ids from here, not from `UUID()`: the event keeps them, 16 bytes each, and
    /// the command gets the same when it is executed again.
    public func newID() -> UUID {
        isCurrent ? overlay.inputs.newID() : .zero
    }

    /// Runs a command, and keeps for the event what it gets and returns.
    mutating func perform<C: Command>(_ command: C) throws -> C.Output {
        overlay.inputs.keep()
        let output = try command.run(&self)
        try checkBlock()
        overlay.inputs.output = try StoreError.wrapping(
            .notEncodable,
            "the result of the command \(C.commandName) cannot be encoded, or not decoded again; "
                + "see the cause"
        ) {
            let encoded = try C.outputCoding.encode(output)
            // A repetition will have to read it.
            if command.idempotencyKey != nil { _ = try C.outputCoding.decode(encoded) }
            return encoded
        }
        return output
    }
}
