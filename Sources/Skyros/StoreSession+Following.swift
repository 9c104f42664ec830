import SkyrosLog

extension StoreSession {
    /// Shows the events that other nodes have written, as far as the local copy of the log has
    /// them. The calling thread holds the writer lock.
    ///
    /// - Throws: `StoreError` with `.unknownEntity` if they write records of which this store has
    ///   no type, `.schemaMismatch` if their types have other steps; `.logCorrupt` and the like.
    func follow(_ schema: Schema, _ projections: ProjectionSet?) throws {
        lostEvents?.takeBack()
        let last = SequenceNumber(rawValue: engine.head.sequence)
        let first = view.current.sequence.next
        try EventReader(engine).forEach(from: first, through: last) { event, chainHash in
            var state = view.current
            let tableCount = state.tables.count
            var dirty = DirtyRows(isRecording: view.isRecording)
            let applied = try AppliedEvent(
                event, chainHash: chainHash, on: &state, marking: &dirty)
            guard state.acceptsEntities || state.tables.count == tableCount else {
                let entity = state.tables[tableCount].entity
                throw StoreError.unknownEntity(entity, adding: "its type")
            }
            if !event.schemas.isEmpty {
                try state.adoptRecordedSchemas()
                try schema.refuseOtherSteps(in: state)
            }
            if let projections {
                projections.apply(applied)
                state.projections = projections.values()
            }
            keys.note(event)
            view.advance(to: state, dirty: dirty)
            announce(applied.staged, of: event.sequence, byteCount: 0)
            return true
        }
        let current = view.current
        log.continueAfter(current.sequence, at: current.time)
        subscriptions.noteDurable(through: current.sequence)
    }
}
