import SkyrosLog

extension StoreSession {
    /// Shows the events that other nodes have written, as far as the local copy of the log has
    /// them. The calling thread holds the writer lock.
    ///
    /// - Complexity: O(changes · log n). What several events change in the tables is copied once,
    ///   unless the store has projections.
    /// - Throws: `StoreError` with `.unknownEntity` if they write records of which this store has
    ///   no type, `.schemaMismatch` if their types have other steps; `.logCorrupt` and the like.
    ///   The events before that are shown.
    func follow(_ schema: Schema, _ projections: ProjectionSet?) throws {
        lostEvents?.takeBack()
        do {
            // A projection keeps the state after each event while it is applied.
            try follow(schema, projections, together: projections == nil)
        } catch {
            // The state is lost with the events before the one that does not fit.
            try follow(schema, projections, together: false)
        }
        let current = view.current
        log.continueAfter(current.sequence, at: current.time)
        subscriptions.noteDurable(through: current.sequence)
    }

    /// - Parameter areTogether: whether several events are folded before they are shown.
    private func follow(
        _ schema: Schema, _ projections: ProjectionSet?, together areTogether: Bool
    ) throws {
        let last = SequenceNumber(rawValue: engine.head.sequence)
        var events = FollowedEvents(after: view)
        try EventReader(engine).forEachEncoded(from: events.state.sequence.next, through: last) {
            sequence, bytes, chainHash in
            let event = try EventCoding.event(from: bytes, expecting: sequence)
            let applied = try events.apply(event, byteCount: bytes.count, chainHash, schema)
            if let projections {
                projections.apply(applied)
                events.state.projections = projections.values()
            }
            if !areTogether || events.isFull {
                show(events)
                events = FollowedEvents(after: view)
            }
            return true
        }
        show(events)
    }

    private func show(_ next: FollowedEvents) {
        guard !next.events.isEmpty else { return }
        for shown in next.events { keys.note(shown.event) }
        view.advance(to: next.state, dirty: next.dirty)
        for shown in next.events {
            announce(
                shown.changes, of: shown.event.sequence, byteCount: shown.byteCount)
        }
    }
}

/// Events that are folded on one state before they are shown.
struct FollowedEvents {
    var state: Snapshot
    private(set) var dirty: DirtyRows
    private(set) var events: [(event: Event, changes: [StagedChange], byteCount: Int)] = []
    private var changeCount = 0
    private var byteCount = 0
    /// All of them are in memory until they are shown.
    private static let changesMax = 1_000
    private static let bytesMax = 1 << 20

    /// Whether they should be shown before another one is folded.
    var isFull: Bool { changeCount >= Self.changesMax || byteCount >= Self.bytesMax }

    init(after view: MainView) {
        state = view.current
        dirty = DirtyRows(isRecording: view.isRecording)
    }

    /// - Throws: as `StoreSession.follow`. The fold must be discarded afterwards.
    mutating func apply(
        _ event: Event, byteCount: Int, _ chainHash: ChainHash, _ schema: Schema
    ) throws -> AppliedEvent {
        let tableCount = state.tables.count
        let applied = try AppliedEvent(event, chainHash: chainHash, on: &state, marking: &dirty)
        guard state.acceptsEntities || state.tables.count == tableCount else {
            let entity = state.tables[tableCount].entity
            throw StoreError.unknownEntity(entity, adding: "its type")
        }
        if !event.schemas.isEmpty {
            try state.adoptRecordedSchemas()
            try schema.refuseOtherSteps(in: state)
        }
        try state.collectOlderKeys(of: applied.staged)
        events.append((event, applied.staged, byteCount))
        changeCount += max(1, event.changes.count)
        self.byteCount += byteCount
        return applied
    }
}
