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
    /// The replaced row or table is kept until the batch ends, so that it is not released under
    /// the readers' lock.
    enum Effect: Sendable {
        /// Puts a row in the place of `old`.
        case put(Row, old: Row?)
        /// Removes the row.
        case remove(Row)
        /// Removes all rows; `old` is the table that held them.
        case clear(count: Int, old: any Sendable)
    }

    /// What the event says about it.
    let change: Change
    /// The position of the entity's table in the snapshot.
    let table: Int
    let effect: Effect
    /// The fields that steps changed, and the write block did not; see `+evolved` in the format.
    let evolved: [String]

    init(change: Change, table: Int, effect: Effect, evolved: [String] = []) {
        self.change = change
        self.table = table
        self.effect = effect
        self.evolved = evolved
    }

    /// The change as the event has it.
    var versioned: VersionedChange {
        switch effect {
        case .put(let row, let old):
            let (version, former) = (row.version, old?.version)
            return VersionedChange(
                change, version: version, formerVersion: former == version ? nil : former,
                evolved: evolved)
        case .remove(let row):
            return VersionedChange(change, version: row.version, evolved: evolved)
        case .clear:
            return VersionedChange(change, version: Evolver.firstVersion, evolved: evolved)
        }
    }
}
