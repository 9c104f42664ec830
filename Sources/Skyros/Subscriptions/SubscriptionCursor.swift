import SkyrosLog

/// The events that a subscription has not handled, one after the other, with the states around
/// them. Used by one task at a time.
struct SubscriptionCursor: Sendable {
    private let reader: HistoryReader
    /// The state after the last event that was returned.
    private var state: Snapshot
    /// Events that were read and not returned yet, the next one last.
    private var pending: [(event: Event, chainHash: ChainHash)] = []
    /// The last event that was handled.
    private(set) var position: SubscriptionPosition

    /// The number of events that are read at a time.
    private static let readMax = 256

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
        self.position = position
        do {
            state = try reader.snapshot(asOf: .sequence(position.sequence), from: current)
        } catch let error as StoreError where error.code == .noSuchEvent {
            throw Self.otherHistory(name, position)
        }
        guard state.chainHash.text == position.chainHash else {
            throw Self.otherHistory(name, position)
        }
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

    /// The next event; nil if the log has none through `last`.
    ///
    /// - Throws: `StoreError` with `.belowFloor` if it was pruned meanwhile; if the log is damaged.
    mutating func next(through last: SequenceNumber) throws -> AppliedEvent? {
        if pending.isEmpty {
            guard state.sequence < last else { return nil }
            try EventReader(reader.log).forEach(from: state.sequence.next, through: last) {
                pending.append(($0, $1))
                return pending.count < Self.readMax
            }
            pending.reverse()
        }
        guard let (event, chainHash) = pending.popLast() else { return nil }
        return try AppliedEvent(event, chainHash: chainHash, on: &state)
    }

    /// The event that was returned last was handled.
    mutating func noteHandled() {
        position = SubscriptionPosition(
            sequence: state.sequence, chainHash: state.chainHash.text,
            keepsHistory: position.keepsHistory)
    }
}

extension SubscriptionPosition {
    /// The position after an event of a log.
    ///
    /// - Throws: `StoreError` with `.noSuchEvent` if the log does not hold it yet, `.belowFloor` if
    ///   it was pruned.
    init(at sequence: SequenceNumber, in reader: HistoryReader, keepsHistory: Bool) throws {
        let chainHash =
            sequence == .zero
            ? reader.empty.chainHash : try EventReader(reader.log).check(through: sequence)
        guard let chainHash else { throw HistoryReader.missing(sequence, last: reader.last) }
        self.init(sequence: sequence, chainHash: chainHash.text, keepsHistory: keepsHistory)
    }
}

extension ChainHash {
    /// 16 hex digits.
    fileprivate var text: String { rawValue.digits(16, radix: 16) }
}
