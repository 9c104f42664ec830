import SkyrosLog

/// An event with the records that it changed and the states around it, as replays and projections
/// get it.
///
///     try archive.replay { event, state in
///         for change in try event.changes(of: Order.self) {
///             print(event.sequence, try change.before?.status, try change.after?.status)
///         }
///         return true
///     }
public struct AppliedEvent: Sendable {
    /// The event.
    public let event: Event
    /// The state after it.
    public let stateAfter: Snapshot
    let staged: [StagedChange]
    private let stampBefore: EventStamp
    private let schemasBefore: NamedValues<EntitySchema>

    /// Applies an event of the log to the state before it.
    init(_ event: Event, chainHash: ChainHash, on state: inout Snapshot) throws {
        var unused = DirtyRows(isRecording: false)
        try self.init(event, chainHash: chainHash, on: &state, marking: &unused)
    }

    /// The same, and marks the rows that it changed.
    init(
        _ event: Event, chainHash: ChainHash, on state: inout Snapshot,
        marking dirty: inout DirtyRows
    ) throws {
        self.event = event
        stampBefore = state.stamp
        schemasBefore = state.schemas
        staged = try Projector.applyListing(
            event, chainHash: chainHash, to: &state, marking: &dirty)
        stateAfter = state
    }

    /// Applies a batch that a write block has staged on `state`, and that was appended.
    ///
    /// - Parameter stamp: the sequence, time and chain hash that the log has given to it.
    init(
        _ batch: borrowing CommandBatch, as stamp: EventStamp, on state: inout Snapshot,
        marking dirty: inout DirtyRows
    ) throws {
        event = try batch.event(as: stamp)
        stampBefore = state.stamp
        schemasBefore = state.schemas
        staged = batch.changes
        try Projector.apply(
            staged, recording: batch.schemas, as: stamp, to: &state, marking: &dirty)
        stateAfter = state
    }

    /// The event's place in the log.
    public var sequence: SequenceNumber { event.sequence }

    /// When the event was appended.
    public var time: EventTime { event.time }

    /// Actor, reason, correlation, causation, tags, and when it happened.
    public var metadata: Metadata { event.metadata }

    /// The domain command, if the write block had one.
    public var intent: Intent? { event.intent }

    /// The changes of all entities, as the log holds them.
    public var changes: [Change] { event.changes }

    /// The records of a type that the event changed, in the order of its changes. Deleting all
    /// records of the type counts as a change of each.
    ///
    /// - Complexity: O(changes); a value is decoded where it is asked for.
    /// - Throws: `StoreError` with `.unknownEntity` if the store was opened with other types.
    @inlinable
    public func changes<E: Entity>(of type: E.Type) throws -> [RecordChange<E>] {
        guard let table = try tableIndex(of: type) else { return [] }
        return changedRows(inTableAt: table).map { RecordChange($0) }
    }

    @usableFromInline
    func tableIndex<E: Entity>(of type: E.Type) throws -> Int? {
        try stateAfter.tableIndex(of: type)
    }

    /// The rows that the event changed, in code that needs no specialisation for a type.
    @usableFromInline
    func changedRows(inTableAt table: Int) -> [ChangedRow] {
        staged.changedRows(inTableAt: table)
    }

    /// The state before the event.
    ///
    /// - Complexity: O(changes · log n): the changes are undone on a copy of the state after it.
    public var stateBefore: Snapshot {
        get throws {
            var state = stateAfter
            for change in staged.reversed() { try state.tables[change.table].undo(change.effect) }
            state.sequence = stampBefore.sequence
            state.time = stampBefore.time
            state.chainHash = stampBefore.chainHash
            state.schemas = schemasBefore
            return state
        }
    }

    /// Whether the event keeps a whole table, which it has cleared.
    var clears: Bool {
        staged.contains { if case .clear = $0.effect { true } else { false } }
    }

    /// The first entity of the event for which the archive was given no type; nil if there is none.
    package func firstUntypedEntity() -> String? {
        staged.first { stateAfter.tables[$0.table].type == nil }?.change.entity
    }

    /// The first record that the event wrote and that does not fit the type of its entity; nil if
    /// there is none. Records of entities without a type are left out.
    package func firstMisfit() -> (change: Change, error: any Error)? {
        for change in staged {
            guard case .put(let row, _) = change.effect,
                let type = stateAfter.tables[change.table].type
            else { continue }
            do {
                try Self.decode(row, as: type)
            } catch {
                return (change.change, error)
            }
        }
        return nil
    }

    private static func decode<E: Entity>(_ row: Row, as type: E.Type) throws {
        _ = try row.value(as: type)
    }
}

extension Snapshot {
    /// The position of the last event in it.
    fileprivate var stamp: EventStamp {
        EventStamp(sequence: sequence, time: time, chainHash: chainHash)
    }
}

extension Table {
    /// Makes the table what it was before a change, except for the number of the next new row.
    fileprivate mutating func undo(_ effect: StagedChange.Effect) throws {
        switch effect {
        case .put(let row, let old?): try put(old, replacing: row)
        case .put(let row, nil): try remove(row)
        case .remove(let row): try put(row, replacing: nil)
        case .clear(_, let old): if let old = old as? Table { self = old }
        }
    }
}
