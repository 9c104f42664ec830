import SkyrosDisk
import SkyrosLog

/// Compares the result of a live write with the replay of its event (promise P7).
///
/// While `InvariantChecks` is on, every second event is checked. The snapshot that the check holds
/// makes the view copy what it changes; the other events test changes in place.
struct StoreReplayCheck {
    private let event: Event
    private let chainHash: ChainHash
    private let before: Snapshot

    /// Nil if the event is not checked.
    init?(
        of batch: borrowing CommandBatch, as stamp: EventStamp, on view: MainView
    ) {
        guard InvariantChecks.isEnabled, stamp.sequence.rawValue.isMultiple(of: 2) else {
            return nil
        }
        event = Event(
            sequence: stamp.sequence, time: stamp.time, metadata: batch.metadata,
            intent: batch.intent, changes: batch.changes.map(\.change))
        chainHash = stamp.chainHash
        before = view.current
    }

    /// Replays the event, as it is read from the log, and compares every row that it changed.
    func compare(with after: Snapshot) throws {
        var writer = CBORWriter(capacity: 1_024)
        EventCoding.append(event, to: &writer)
        let read = try writer.withUnsafeBytes {
            try EventCoding.event(from: $0, expecting: event.sequence)
        }
        precondition(read == event, "event \(event.sequence) is read as another event")
        var replayed = before
        var dirty = DirtyRows(isRecording: false)
        try Projector.apply(read, chainHash: chainHash, to: &replayed, marking: &dirty)
        precondition(
            replayed.sequence == after.sequence && replayed.time == after.time
                && replayed.chainHash == after.chainHash
                && replayed.tables.count == after.tables.count,
            "replay of event \(event.sequence) comes to another position")
        for change in event.changes {
            let index = replayed.tableIndex(of: change.entity)
            try compare(change, replayed.tables[index], after.tables[index])
        }
    }

    /// Row numbers are not compared: a block that inserts a record and deletes it again skips one.
    private func compare(_ change: Change, _ replayed: Table, _ after: Table) throws {
        precondition(
            replayed.count == after.count
                && replayed.indexes.map(\.tree.count) == after.indexes.map(\.tree.count),
            "replay of event \(event.sequence) leads to another table of \(change.entity)")
        guard let id = change.id else { return }
        let (a, b) = (replayed.row(id), after.row(id))
        let isSame = try a?.encoded() == b?.encoded()
        precondition(
            isSame, "replay of event \(event.sequence) leads to another \(change.entity) \(id)")
    }
}
