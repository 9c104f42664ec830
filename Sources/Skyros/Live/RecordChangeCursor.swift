/// Reads a stream of changes for one iterator.
actor RecordChangeCursor<E: Entity> {
    private let stream: RecordChangeStream<E>
    private var events: EventStream.Iterator
    /// The type's records after the last event that was read: a snapshot with one table.
    private var state: Snapshot?
    private var hasEnded = false

    init(_ stream: RecordChangeStream<E>) {
        self.stream = stream
        events = stream.events.makeAsyncIterator()
    }

    /// The changes of the next event that has any; nil at the end.
    func next() async throws(StoreError) -> RecordChanges<E>? {
        guard !hasEnded else { return nil }
        do {
            if let changes = try await nextChanges() { return changes }
        } catch let error as StoreError {
            end()
            throw error
        } catch {
            end()
            throw .wrapping(error)
        }
        end()
        return nil
    }

    private func end() {
        hasEnded = true
        state = nil
    }

    private func nextChanges() async throws -> RecordChanges<E>? {
        while let event = try await nextEvent() {
            let rows = try fold(event).filter { try isWanted($0) }
            if !rows.isEmpty { return RecordChanges(event, rows.map { RecordChange($0) }) }
        }
        return nil
    }

    private func nextEvent() async throws -> Event? {
        // A mutable property cannot be used across a suspension.
        var iterator = events
        let event = try await iterator.next(on: self)
        events = iterator
        return event
    }

    /// Applies the event to the type's records, and returns those that it changes.
    private func fold(_ event: Event) throws -> [ChangedRow] {
        var state = try self.state ?? Self.records(of: stream.begin())
        let entity = state.tables[0].entity
        let part = event.part(changing: entity)
        let staged = try Projector.applyListing(part, chainHash: state.chainHash, to: &state)
        // With the newest state, the rows and nodes of the view are shared again.
        let newest = stream.view.current
        if newest.sequence == state.sequence { state = try Self.records(of: newest) }
        self.state = state
        return staged.changedRows(inTableAt: 0)
    }

    /// The state without the tables of other types.
    static func records(of state: Snapshot) throws -> Snapshot {
        guard let index = try state.tableIndex(of: E.self) else {
            throw StoreError.unknownEntity(E.entityName, adding: "\(E.self).self")
        }
        var records = state
        records.tables = [state.tables[index]]
        records.projections = nil
        return records
    }

    private func isWanted(_ rows: ChangedRow) throws -> Bool {
        guard stream.kinds.contains(ChangeKinds(rows.kind)) else { return false }
        guard let filter = stream.filter else { return true }
        func passes(_ row: Row?) throws -> Bool {
            guard let value = try row?.value(as: E.self) else { return false }
            do {
                return try filter.matches(value)
            } catch let error as StoreError {
                throw error
            } catch {
                throw StoreError.filterFailed(of: E.self, error)
            }
        }
        return try passes(rows.old) || passes(rows.new)
    }
}
