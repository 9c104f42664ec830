import SkyrosLog

/// Checks an event beyond what a fold does: its encoding, its time, and what it says about the
/// state before it.
struct EventCheck {
    /// What is wrong, in words, with the event and its place.
    private(set) var problems: [String] = []
    /// Problems that are counted and not described.
    private(set) var furtherCount = 0
    private var lastTime = EventTime.zero
    /// What headers and indexes say about times, by event.
    private let stated: [UInt64: [StatedTime]]

    /// A log by another writer may be wrong in every event.
    private static let problemsMax = 100

    init(_ stated: [StatedTime]) {
        self.stated = Dictionary(grouping: stated, by: \.sequence)
        compareTimes(of: .zero, at: .zero)
    }

    /// Checks an event, whose bytes are `bytes`, against the state before it.
    mutating func check(
        _ event: Event, _ bytes: UnsafeRawBufferPointer, before state: Snapshot
    ) throws {
        do throws(CBORError) {
            // The event around a record adds levels.
            try CanonicalForm.check(bytes, depth: -EventCoding.levelsAround)
        } catch {
            note("event \(event.sequence) is not in canonical form: \(error) of the event")
        }
        if event.time <= lastTime {
            let bound = lastTime == .zero ? "the beginning of 1970" : "the one before"
            note("event \(event.sequence) is not later than \(bound)")
        }
        lastTime = event.time
        compareTimes(of: event.sequence, at: event.time)
        try compareBefore(event, state)
    }

    private mutating func note(_ problem: String) {
        guard problems.count < Self.problemsMax else {
            furtherCount += 1
            return
        }
        problems.append(problem)
    }

    private mutating func compareTimes(of sequence: SequenceNumber, at time: EventTime) {
        for other in stated[sequence.rawValue] ?? [] where other.microseconds != time.microseconds {
            let what = sequence == .zero ? "the log begins" : "event \(sequence) happened"
            note(
                "events/\(other.segment) says at byte \(other.offset) that \(what) at "
                    + "\(EventTime(microseconds: other.microseconds)), and not at \(time)")
        }
    }

    /// Compares what changes say about records with the records before them: those of the state,
    /// or what earlier changes of the event have made of them.
    private mutating func compareBefore(_ event: Event, _ state: Snapshot) throws {
        var changed: [RecordKey: [UInt8]?] = [:]
        var cleared: [String] = []
        for change in event.changes {
            guard let id = change.id else {
                cleared.append(change.entity)
                changed = changed.filter { $0.key.entity != Array(change.entity.utf8) }
                continue
            }
            let key = RecordKey(entity: Array(change.entity.utf8), id: id)
            let isCleared = cleared.containsName(change.entity)
            let stored = isCleared ? nil : try state.record(change.entity, id)
            let record = changed[key] ?? stored?.fields.bytes
            if let record, try !Self.agrees(change, with: record) {
                note(
                    "event \(event.sequence) says of \(change.entity) \(id) that it was other "
                        + "than the changes before made it")
            }
            changed[key] = .some(try Self.result(of: change, on: record))
        }
    }

    /// The record after a change; nil if it is deleted.
    private static func result(of change: Change, on record: [UInt8]?) throws -> [UInt8]? {
        switch change {
        case .inserted(let inserted):
            inserted.fields.bytes
        case .updated(_, _, let before, let after):
            try record.map { try Fields.merge($0, before: before.bytes, after: after.bytes) }
        case .deleted, .cleared:
            nil
        }
    }

    private struct RecordKey: Hashable {
        let entity: [UInt8]
        let id: RecordID
    }

    /// Whether undoing the change on the record before it would change nothing.
    private static func agrees(_ change: Change, with record: [UInt8]) throws -> Bool {
        switch change {
        case .updated(_, _, let before, let after):
            try Fields.merge(record, before: after.bytes, after: before.bytes) == record
        case .deleted(let deleted):
            deleted.fields.bytes == record
        case .inserted, .cleared:
            true
        }
    }
}
