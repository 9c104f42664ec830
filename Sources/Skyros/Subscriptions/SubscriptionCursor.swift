import SkyrosLog

/// The events that a subscription has not handled, one after the other, with the states around
/// them. Used by one task at a time.
struct SubscriptionCursor: Sendable {
    private let reader: HistoryReader
    /// The state after the last event that was returned or passed.
    private var state: Snapshot
    /// Events that were read, and the index of the first one that was not returned yet.
    private var pending: [(event: Event, chainHash: ChainHash)] = []
    private var index = 0
    /// The last event that was handled, or that the filter does not want.
    private var handled: (sequence: SequenceNumber, chainHash: ChainHash)
    private let keepsHistory: Bool

    /// The number of events that are read at a time, and their bytes in the log.
    private static let readMax = 256
    private static let readBytesMax = 1 << 20

    /// Begins after a position.
    ///
    /// - Parameter current: a later state, from which the first one may be made.
    /// - Complexity: O(events since the position) if they are few, otherwise O(events up to it).
    /// - Throws: `StoreError` with `.historyChanged` if the position is one of another history,
    ///   `.belowFloor` if the events after it are not kept.
    init(
        after position: SubscriptionPosition, of name: String, _ reader: HistoryReader,
        from current: Snapshot
    ) throws {
        self.reader = reader
        do {
            state = try reader.snapshot(asOf: .sequence(position.sequence), from: current)
        } catch let error as StoreError where error.code == .noSuchEvent {
            throw Self.otherHistory(name, position)
        }
        guard state.chainHash.description == position.chainHash else {
            throw Self.otherHistory(name, position)
        }
        handled = (state.sequence, state.chainHash)
        keepsHistory = position.keepsHistory
    }

    private static func otherHistory(
        _ name: String, _ position: SubscriptionPosition
    ) -> StoreError {
        StoreError(
            .historyChanged,
            "the subscription \"\(name)\" has handled event \(position.sequence) of another "
                + "history: the store was restored from an earlier copy, or replaced. Decide with "
                + "which event it continues: store.setPosition(ofSubscription: \"\(name)\", to:)",
            at: StoreError.Place(sequences: position.sequence...position.sequence))
    }

    /// The position after what was handled.
    var position: SubscriptionPosition {
        SubscriptionPosition(
            sequence: handled.sequence, chainHash: handled.chainHash.description,
            keepsHistory: keepsHistory)
    }

    /// What `next` has found.
    enum Step {
        /// An event that is to be handled.
        case event(AppliedEvent)
        /// Events that the filter does not want; there may be more.
        case passed
        /// No further event.
        case end
    }

    /// The next event that a filter wants, of those that are read at a time. It may read files.
    ///
    /// - Throws: `StoreError` with `.belowFloor` if it was pruned meanwhile; if the log is damaged.
    mutating func next(
        through last: SequenceNumber, where filter: EventFilter?
    ) throws -> Step {
        if index == pending.count {
            guard state.sequence < last else { return .end }
            try read(through: last)
        }
        while index < pending.count {
            let (event, chainHash) = pending[index]
            index += 1
            let applied = try AppliedEvent(event, chainHash: chainHash, on: &state)
            if try filter?.matches(applied) ?? true { return .event(applied) }
            noteHandled()
        }
        pending = []
        index = 0
        return .passed
    }

    private mutating func read(through last: SequenceNumber) throws {
        pending = []
        index = 0
        var byteCount = 0
        try EventReader(reader.log).forEachEncoded(from: state.sequence.next, through: last) {
            sequence, bytes, chainHash in
            pending.append((try EventCoding.event(from: bytes, expecting: sequence), chainHash))
            byteCount += bytes.count
            return pending.count < Self.readMax && byteCount < Self.readBytesMax
        }
    }

    /// The event that was returned last was handled.
    mutating func noteHandled() { handled = (state.sequence, state.chainHash) }

    /// Shares the rows of a state if it is the same: each subscription would have all rows that
    /// were written since it has begun, once more.
    mutating func share(_ current: Snapshot) {
        guard index == pending.count, current.sequence == state.sequence,
            current.chainHash == state.chainHash
        else { return }
        state = current
        state.projections = nil
    }
}

extension EventFilter {
    /// Whether an event has all that the filter names. One that clears an entity changes the
    /// records that there were.
    func matches(_ event: AppliedEvent) throws -> Bool {
        if matches(event.event) { return true }
        guard !ids.isEmpty, event.clears, hasMetadata(of: event.event) else { return false }
        let before = try event.stateBefore
        return event.changes.contains { change in
            guard case .cleared(let name, _) = change,
                entity.map({ name.isSameName(as: $0) }) ?? true, let table = before.table(name)
            else { return false }
            return ids.contains { table.row($0) != nil }
        }
    }
}
