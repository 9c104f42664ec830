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
    init?(of batch: borrowing CommandBatch, as stamp: EventStamp, on view: MainView) throws {
        guard InvariantChecks.isEnabled else { return nil }
        let changes = batch.changes.map(\.change)
        event = Event(
            sequence: stamp.sequence, time: stamp.time, metadata: batch.metadata,
            intent: batch.intent, changes: changes)
        var writer = CBORWriter(capacity: 1_024)
        EventCoding.append(event, to: &writer)
        let read = try writer.withUnsafeBytes {
            try EventCoding.event(from: $0, expecting: stamp.sequence)
        }
        if read != event { Self.stop(stamp.sequence, "is read as another event") }
        var snapshot = view.current
        var unused = DirtyRows(isRecording: false)
        try Projector.apply(read, chainHash: stamp.chainHash, to: &snapshot, marking: &unused)
        replayed = try Outcome(of: event, in: snapshot)
    }

    /// Stops the process if the live write led to another state.
    func compare(with snapshot: Snapshot) throws {
        if try Outcome(of: event, in: snapshot) != replayed {
            Self.stop(event.sequence, "is replayed to another state than the live write made")
        }
    }

    private static func stop(_ sequence: SequenceNumber, _ sentence: String) -> Never {
        System.stop("event \(sequence) \(sentence), which is a bug in Skyros or in encode(to:)")
    }

    /// The position, and of each change the record and the sizes of its table. Not the row numbers:
    /// a block that inserts a record and deletes it again skips one.
    private struct Outcome: Equatable {
        let position: [UInt64]
        var sizes: [[Int]] = []
        var records: [[UInt8]?] = []

        init(of event: Event, in snapshot: Snapshot) throws {
            position = [
                snapshot.sequence.rawValue, UInt64(bitPattern: snapshot.time.microseconds),
                snapshot.chainHash.rawValue, UInt64(snapshot.tables.count),
            ]
            for change in event.changes {
                let table = snapshot.table(change.entity)
                sizes.append([table?.count ?? 0] + (table?.indexes.map(\.tree.count) ?? []))
                records.append(try change.id.flatMap { try table?.row($0)?.encoded() })
            }
        }
    }
}
