/// A change with its old and new row, as the fold applies it.
///
/// A write block stages changes with the rows that it has made; replay stages an event's changes
/// with the rows of the state before it. `Projector` applies both with the same code.
///
/// A class, because copying a struct retains each of its parts: 2 % more instructions for each
/// commit.
final class StagedChange: Sendable {
    /// What the change does to its table.
    ///
    /// The replaced row or table is kept until the batch ends: releasing a value may run code of
    /// the app, which must not happen under the readers' lock.
    enum Effect: Sendable {
        /// Puts `row`, whose record is `after`, in the place of `old`, whose record is `before`.
        case put(Row, after: [UInt8], old: Row?, before: [UInt8]?)
        /// Removes the row, whose record is `before`.
        case remove(Row, before: [UInt8])
        /// Removes all rows; `old` is the table that held them.
        case clear(count: Int, old: any Sendable)
    }

    /// What the event says about it.
    let change: Change
    /// The position of the entity's table in the snapshot.
    let table: Int
    let effect: Effect

    init(change: Change, table: Int, effect: Effect) {
        self.change = change
        self.table = table
        self.effect = effect
    }
}
