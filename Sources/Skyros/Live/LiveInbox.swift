import SkyrosDisk

/// What a live query has not read yet: the ids of records that events have changed.
///
/// The writer adds, the reader of the query takes. It holds no values and no filter: no user code
/// runs, and nothing of the user is released, while a lock of the library is held.
///
/// - Note: Memory is bounded: past `touchedCountMax` ids are dropped, and the reader is asked to
///   run its query again.
final class LiveInbox: Sendable {
    /// A record that an event has changed.
    struct Touched: Sendable {
        let id: RecordID
        var kinds: ChangeKinds
        let sequence: SequenceNumber
    }

    /// What the reader takes.
    struct News {
        var touched: [Touched] = []
        /// The kinds of all changes that are not in `touched`.
        var otherKinds: ChangeKinds = []
        /// Whether the query must be run on the newest state: not all changes are known.
        var needsRun = false
    }

    fileprivate struct State: Sendable {
        /// In the order of the events.
        var touched: [Touched] = []
        var otherKinds: ChangeKinds = []
        var needsRun = false
        var last = SequenceNumber.zero
    }

    /// Wakes the reader.
    let signal = EventSignal(.zero)
    private let state = Locked(State())

    /// The number of ids that wait for a reader at most. Running the query again costs less than
    /// looking up more records, or not much more.
    static let touchedCountMax = 4_096

    /// Adds a record that an event has changed. Events come in their order.
    ///
    /// - Returns: whether it is the first change of the event: the signal must be raised then.
    func add(_ id: RecordID, _ kind: ChangeKind, of sequence: SequenceNumber) -> Bool {
        state.withLock { state in
            defer { state.last = sequence }
            if state.needsRun {
                state.otherKinds.formUnion(ChangeKinds(kind))
            } else if state.touched.count >= Self.touchedCountMax {
                state.dropTouched(adding: ChangeKinds(kind))
            } else if state.last != sequence || state.touched.last?.id != id {
                state.touched.append(
                    Touched(id: id, kinds: ChangeKinds(kind), sequence: sequence))
            } else {
                // The events of one move may change a record several times.
                state.touched[state.touched.count - 1].kinds.formUnion(ChangeKinds(kind))
            }
            return state.last != sequence
        }
    }

    /// Asks the reader to run its query again: any record may have changed.
    ///
    /// - Returns: as `add`.
    func addAll(_ kinds: ChangeKinds, of sequence: SequenceNumber) -> Bool {
        state.withLock { state in
            defer { state.last = sequence }
            state.dropTouched(adding: kinds)
            return state.last != sequence
        }
    }

    /// Takes what events through `sequence` have changed; leaves what later ones have.
    func take(through sequence: SequenceNumber) -> News {
        state.withLock { state in
            var news = News(otherKinds: state.otherKinds, needsRun: state.needsRun)
            state.otherKinds = []
            state.needsRun = false
            let later = state.touched.firstIndex { $0.sequence > sequence }
            if let later {
                news.touched = Array(state.touched[..<later])
                state.touched.removeFirst(later)
            } else {
                swap(&news.touched, &state.touched)
            }
            return news
        }
    }
}

extension LiveInbox.State {
    fileprivate mutating func dropTouched(adding kinds: ChangeKinds) {
        for change in touched { otherKinds.formUnion(change.kinds) }
        otherKinds.formUnion(kinds)
        touched = []
        needsRun = true
    }
}
