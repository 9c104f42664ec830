import Dispatch
public import Observation
import SkyrosDisk

/// The store at any moment of its past, for user interfaces: live queries at the machine show
/// what they would have shown then.
///
///     let machine = TimeMachine(store)
///     let cards = LiveResult(store.live(Card.self, sortedBy: \.rank).at(machine))
///     try machine.step(-1)                                   // before the last event
///     machine.position = .ago(.minutes(5))
///     try machine.restore(Card.self, id, by: user.name, because: "deleted by mistake")
///
/// It begins with the newest state, and stays where it is: events that are written later are
/// shown when it moves to them. A step changes the live results by the records that the event
/// has changed; a long way makes them run again.
///
/// From its first use on the machine prepares states around the one that it shows, in the
/// background, so that a long way takes a part of a second. They share what is the same: together
/// they have as many other records as a quarter of the store, and 100,000.
///
/// It belongs to one history: after ``Store/nuke(includingQuarantine:)`` its moves, ``event``,
/// ``restore(_:_:by:because:)`` and live queries throw `.erased`. Make another machine then.
@MainActor @Observable
public final class TimeMachine {
    /// The last event in what is shown; zero before the first.
    public private(set) var sequence: SequenceNumber
    /// The time of that event.
    public private(set) var time: EventTime
    /// Whether it moves to a position that was set.
    public private(set) var isMoving = false
    /// Why the last position that was set is not shown; nil if it is, or will be.
    public private(set) var error: StoreError?

    @ObservationIgnored let past: PastView
    @ObservationIgnored private let store: Store
    @ObservationIgnored private let session: StoreSession
    @ObservationIgnored private let reader: HistoryReader
    /// Moves read files.
    @ObservationIgnored private let queue = DispatchQueue(label: "skyros.timemachine")
    /// The position that was set last.
    @ObservationIgnored private var target: Moment?

    /// A machine that shows the newest state of a store.
    public init(_ store: Store) {
        self.store = store
        session = store.session
        reader = HistoryReader(log: session.engine, empty: session.empty)
        past = PastView(reader, newest: { store.snapshot })
        session.liveHub.endTogether(with: past.hub)
        (sequence, time) = (past.snapshot.sequence, past.snapshot.time)
    }

    /// What is shown, as a snapshot.
    public var snapshot: Snapshot {
        _ = sequence
        return past.snapshot
    }

    /// The events after which there is a state to show; the first is zero unless the history
    /// was pruned.
    public var range: ClosedRange<SequenceNumber> { past.range }

    /// The moment that is shown. Setting it moves there in the background: ``isMoving`` and
    /// ``error`` say how far that is. Of positions that are set in quick succession, as by a
    /// slider, the last one counts.
    public var position: Moment {
        get { .sequence(sequence) }
        set {
            target = newValue
            guard !isMoving else { return }
            isMoving = true
            Task { await moveToTarget() }
        }
    }

    private func moveToTarget() async {
        while let moment = target {
            target = nil
            do {
                try await move(to: moment)
                error = nil
            } catch {
                self.error = StoreError.wrapping(error)
            }
        }
        isMoving = false
    }

    /// Moves to a moment, and returns when it is shown.
    ///
    /// - Throws: `StoreError` with `.noSuchEvent`, `.belowFloor`, `.erased`, `.logCorrupt` and the
    ///   like; then it stays where it is.
    public func move(to moment: Moment) async throws {
        let (past, reader, session, queue) = (past, reader, session, queue)
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            queue.async {
                continuation.resume(
                    with: Result {
                        try session.signal.check()
                        try past.move(to: reader.sequence(of: moment))
                    })
            }
        }
        noteMove()
    }

    /// Moves by a number of events: back if it is negative, at most to the first or last one. A
    /// position that was set and is not shown yet is where it begins.
    ///
    /// It returns when the moment is shown: after some microseconds for a small step, but as long
    /// as ``move(to:)`` for a step back over an event that deletes all records of an entity, or
    /// records a new shape; and it waits for a move that is under way.
    ///
    /// - Throws: as `move(to:)`.
    public func step(_ count: Int) throws {
        let (past, reader, start) = (past, reader, target)
        let session = session
        target = nil
        try queue.sync {
            try session.signal.check()
            let start = try start.map { try reader.sequence(of: $0) } ?? past.snapshot.sequence
            let range = past.range
            let wanted = start.advanced(by: count)
            try past.move(to: min(max(wanted, range.lowerBound), range.upperBound))
        }
        noteMove()
    }

    private func noteMove() {
        let snapshot = past.snapshot
        sequence = snapshot.sequence
        time = snapshot.time
    }

    /// The last event in what is shown; nil before the first one that is kept.
    ///
    /// - Throws: `StoreError` with `.erased`, `.logCorrupt` and the like.
    public var event: Event? {
        get throws {
            guard sequence > range.lowerBound else { return nil }
            return try EventReader(session.engine).event(sequence)
        }
    }

    /// Writes the record as it is shown to the store: it gets all fields that it had then, also
    /// those that its type does not know, or is deleted if it did not exist.
    ///
    /// - Parameters:
    ///   - type: the type of the record.
    ///   - id: its id.
    ///   - actor: who restores it.
    ///   - reason: why.
    /// - Returns: the event; nil if the record is as it was.
    /// - Throws: `StoreError`, as a write does; `.notDecodable` if the type cannot read
    ///   the record of then; `.erased`.
    @discardableResult
    public func restore<E: Entity>(
        _ type: E.Type, _ id: E.ID, by actor: String?, because reason: String?
    ) throws -> SequenceNumber? {
        let recordID = try RecordCoding.id(id, of: type)
        let former = past.snapshot.table(E.entityName)?.row(recordID)
        let write: RecordWrite =
            former.map {
                .put(
                    entity: E.entityName, id: recordID, record: $0.bytes, version: $0.version)
            } ?? .delete(entity: E.entityName, id: recordID)
        let tags = ["skyros.restored": "\(sequence)"]
        return try store.writeWithReceipt(
            metadata: Metadata(actor: actor, reason: reason, tags: tags)
        ) { tx in
            // Under the writer lock, so that no erasure comes in between.
            try session.signal.check()
            try tx.overlay.restore([write])
        }
        .receipt.sequence
    }
}

extension LiveQuery {
    /// The query on what a time machine shows; nil for the store.
    ///
    ///     LiveResult(store.live(Card.self, sortedBy: \.rank).at(machine))
    @MainActor
    public func at(_ machine: TimeMachine?) -> LiveQuery {
        guard let machine else { return self }
        machine.past.frames.prepare()
        return LiveQuery(request, on: kinds, machine.past.hub)
    }
}
