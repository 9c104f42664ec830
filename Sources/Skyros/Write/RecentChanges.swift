import SkyrosDisk
import SkyrosLog

/// Which records the newest events of this process have changed, so that a condition on a record
/// as of one of them needs neither the index of the history nor the log.
final class RecentChanges: Sendable {
    private struct Item: Sendable {
        let sequence: SequenceNumber
        /// The place of the table in a state.
        let table: Int
        let id: RecordID
    }

    private struct State: Sendable {
        /// In the order of the events.
        var items: [Item] = []
        /// The first event of which all changes are noted, and of all that follow.
        var first = SequenceNumber.zero
        /// That through the last event that is noted.
        var chainHash = ChainHash(rawValue: 0)

        func covers(_ sequence: SequenceNumber, through newest: Snapshot) -> Bool {
            newest.chainHash == chainHash && sequence <= newest.sequence
                && sequence.next >= first
        }

        mutating func forget(before sequence: SequenceNumber) {
            items.removeFirst(items.partitioningIndex { $0.sequence >= sequence })
            first = sequence
        }
    }

    /// What is kept, at most: 64 KiB of memory. The older half is forgotten then.
    static let changesMax = 1_024

    private let state = Locked(State())

    /// Notes an event.
    ///
    /// - Parameter before: the chain hash before it. If that is not of the last event that was
    ///   noted, others have written meanwhile, or what was noted was taken back.
    func note(_ changes: [StagedChange], as stamp: EventStamp, after before: ChainHash) {
        let sequence = stamp.sequence
        // Without an identifier: all records of an entity.
        let isNoted =
            changes.count <= Self.changesMax / 2 && changes.allSatisfy { $0.change.id != nil }
        state.withLock { state in
            if state.chainHash != before { state = State(first: sequence) }
            state.chainHash = stamp.chainHash
            guard isNoted else { return state.forget(before: sequence.next) }
            for change in changes {
                guard let id = change.change.id else { continue }
                state.items.append(Item(sequence: sequence, table: change.table, id: id))
            }
            guard state.items.count > Self.changesMax else { return }
            let last = state.items[Self.changesMax / 2 - 1].sequence
            state.forget(before: last.next)
        }
    }

    /// Forgets all: the tables may have other places in the next state.
    func forget() {
        state.withLock { $0 = State() }
    }

    /// Whether it is known that no event after one has changed a record.
    ///
    /// - Parameters:
    ///   - table: the place of its table in `newest`.
    ///   - newest: the state after the last event that counts.
    /// - Complexity: O(changes since).
    func isUnchanged(
        _ id: RecordID, inTableAt table: Int, since sequence: SequenceNumber,
        through newest: Snapshot
    ) -> Bool {
        state.withLock { state in
            guard state.covers(sequence, through: newest) else { return false }
            for item in state.items.reversed() {
                if item.sequence <= sequence { break }
                if item.table == table, item.id == id { return false }
            }
            return true
        }
    }
}
