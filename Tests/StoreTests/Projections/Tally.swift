import SkyrosDisk
import SkyrosTesting
import TestSupport

@testable import Skyros

/// The numbers of notes by their texts, and of the events.
struct Tally: Projection, Equatable {
    var counts: [String: Int] = [:]
    /// The event before the first one that it got.
    var start: UInt64 = 0
    var eventCount: UInt64 = 0

    init() {}

    init(floor: Snapshot) throws {
        start = floor.sequence.rawValue
        for note in try floor.all(Note.self) { counts[note.text, default: 0] += 1 }
    }

    mutating func apply(_ event: AppliedEvent) throws {
        eventCount += 1
        for change in try event.changes(of: Note.self) {
            if let old = try change.before { add(-1, to: old.text) }
            if let new = try change.after { add(1, to: new.text) }
        }
        // The states around the event are those that they should be, with their indexes.
        let count = try event.stateAfter.count(Note.self)
        precondition(count == counts.values.reduce(0, +))
    }

    private mutating func add(_ count: Int, to text: String) {
        counts[text, default: 0] += count
        if counts[text] == 0 { counts[text] = nil }
    }

    /// What it must be after the event of a state.
    static func expected(_ state: Snapshot) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for note in try state.all(Note.self) { counts[note.text, default: 0] += 1 }
        return counts
    }

    /// Whether it is the one of the event of a state.
    func fits(_ state: Snapshot) throws -> Bool {
        try counts == Self.expected(state) && start + eventCount == state.sequence.rawValue
    }
}

/// Counts how often it gets an event, in this process.
struct Counted: Projection, Equatable {
    static let applied = Locked<[SequenceNumber]>([])
    var last: SequenceNumber = .zero

    mutating func apply(_ event: AppliedEvent) throws {
        Self.applied.withLock { $0.append(event.sequence) }
        last = event.sequence
    }

    /// The events that it got while `body` ran.
    static func events(during body: () throws -> Void) rethrows -> [SequenceNumber] {
        applied.withLock { $0 = [] }
        try body()
        return applied.withLock { $0 }
    }
}

extension Store {
    /// A store whose maintenance runs only when a test asks for it.
    static func projecting(
        on disk: SimulatedDisk, _ projections: any Projection.Type...,
        clock: ManualClock = ManualClock(),
        setting options: (inout Store.Options) -> Void = { _ in }
    ) throws -> Store {
        var all = Store.Options()
        all.projections = projections
        all.syncInterval = .seconds(3_600)
        all.segmentBytesMax = 3_000
        all.sealThresholdBytes = 400
        options(&all)
        let store = try Store(on: disk, entities: Note.self, options: all, clock: clock)
        store.maintenance.stop()
        return store
    }
}
