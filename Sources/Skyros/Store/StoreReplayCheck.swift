import SkyrosDisk
import SkyrosLog

/// Compares the result of a live write with the replay of its event (promise P7).
///
/// Runs for every event while `InvariantChecks` is on. The event is replayed before the live write,
/// and only the outcome is kept: a snapshot would make the view copy what it changes.
struct StoreReplayCheck {
    private let event: Event
    private let replayed: Outcome

    /// Replays the event of `batch`, as it will be read from the log; nil without checks.
    init?(
        of batch: borrowing CommandBatch, as stamp: EventStamp,
        on state: @autoclosure () -> Snapshot
    ) throws {
        guard InvariantChecks.isEnabled else { return nil }
        event = try batch.event(as: stamp)
        var writer = CBORWriter(capacity: 1_024)
        try EventCoding.append(event, to: &writer)
        let read = try writer.withUnsafeBytes {
            try EventCoding.event(from: $0, expecting: stamp.sequence)
        }
        if read != event { Self.stop(stamp.sequence, "is read as another event") }
        var snapshot = state()
        var unused = DirtyRows(isRecording: false)
        try Projector.apply(read, chainHash: stamp.chainHash, to: &snapshot, marking: &unused)
        replayed = try Outcome(of: event, in: snapshot)
    }

    /// Stops the process if the live write led to another state.
    func compare(with snapshot: Snapshot) throws {
        if let part = try Outcome(of: event, in: snapshot).difference(from: replayed) {
            Self.stop(event.sequence, "is replayed to another state than a live write: \(part)")
        }
    }

    private static func stop(_ event: SequenceNumber, _ sentence: String) -> Never {
        System.stop("event \(event) \(sentence). This is a bug in Skyros")
    }

    /// The position, the sizes of each table that the event changes, and each changed record. Not
    /// the row numbers: a block that inserts a record and deletes it again skips one.
    private struct Outcome {
        let position: [UInt64]
        var sizes = NamedValues<[Int]>()
        var records: [(entity: String, id: RecordID, bytes: [UInt8]?)] = []

        init(of event: Event, in snapshot: Snapshot) throws {
            position = [
                snapshot.sequence.rawValue, UInt64(bitPattern: snapshot.time.microseconds),
                snapshot.chainHash.rawValue, UInt64(snapshot.tables.count),
            ]
            for change in event.changes {
                guard let table = snapshot.table(change.entity) else { continue }
                sizes[change.entity] = [table.count] + table.indexes.map(\.tree.count)
                guard let id = change.id else { continue }
                records.append((change.entity, id, table.row(id)?.bytes))
            }
        }

        /// What differs first; nil if nothing does.
        func difference(from other: Outcome) -> String? {
            if position != other.position { return "the position" }
            for (mine, its) in zip(records, other.records) where mine.bytes != its.bytes {
                return "the record \(mine.id) of \(mine.entity)"
            }
            return sizes.first { $0.value != other.sizes[$0.key] }.map { "the number of \($0.key)" }
        }
    }
}
