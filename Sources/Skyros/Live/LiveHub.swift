import SkyrosDisk
import Synchronization

/// Connects the writer with the live queries of a store: finds the queries that an event may
/// concern, adds the changed ids to their inboxes, and wakes their readers.
///
/// `note` runs on the writer's thread after the event is visible. It runs no user code: filters are
/// evaluated by the readers. Queries without a range of an index are called for each event of their
/// entity, the others only if a changed key is in their range. `noted` is raised next, and their
/// readers are woken last: a reader that is woken earlier would wait a second time, for `noted`.
///
/// A query that registers before it reads a state misses nothing: an event that this state lacks
/// becomes visible later, and is noted after that.
final class LiveHub: Sendable {
    fileprivate struct Place: Sendable {
        let number: UInt64
        let table: Int
        let index: Int?
    }

    fileprivate struct State: Sendable {
        /// By the position of the entity's table in the snapshot.
        var tables: [Int: LiveTable] = [:]
        var places: [ObjectIdentifier: Place] = [:]
        var nextNumber: UInt64 = 0
        var hasEnded = false
        var failure: StoreError?
    }

    /// The states that the queries read.
    let view: MainView
    /// Is raised for an event between `note` and `wake`.
    let noted: EventSignal
    private let state = Locked(State())
    /// The number of registered queries, so that a writer without any takes no lock.
    private let count = Atomic(0)

    init(_ view: MainView, noted: EventSignal) {
        self.view = view
        self.noted = noted
    }

    /// The number of registered queries.
    var queryCount: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Registers a query, or changes where it is registered.
    ///
    /// - Parameter range: where its records can be; nil for the whole table.
    func register(_ inbox: LiveInbox, inTableAt table: Int, _ range: KeyRange?) {
        let (hasEnded, failure) = state.withLock { state in
            state.remove(inbox)
            let place = Place(number: state.nextNumber, table: table, index: range?.index)
            state.nextNumber += 1
            state.places[ObjectIdentifier(inbox)] = place
            state.tables[table, default: LiveTable()]
                .insert(inbox, number: place.number, range)
            count.store(state.places.count, ordering: .sequentiallyConsistent)
            return (state.hasEnded, state.failure)
        }
        if hasEnded { inbox.signal.end(throwing: failure) }
    }

    /// Ends the registration of a query, if there is one.
    func remove(_ inbox: LiveInbox) {
        state.withLock { state in
            state.remove(inbox)
            count.store(state.places.count, ordering: .sequentiallyConsistent)
        }
    }

    /// Notes the changes of an event that has just become visible.
    ///
    /// - Returns: the queries that it may concern, which `wake` wakes.
    /// - Complexity: O(changes · log n) for n queries with ranges, and O(1) for each affected one.
    func note(_ changes: [StagedChange], of sequence: SequenceNumber) -> [LiveInbox] {
        guard queryCount > 0 else { return [] }
        return state.withLock { state in
            var affected: [LiveInbox] = []
            for change in changes {
                state.tables[change.table]?.add(change, of: sequence, &affected)
            }
            return affected
        }
    }

    /// Notes events through `sequence` whose changes are not known: every query runs again.
    ///
    /// - Returns: all queries, which `wake` wakes.
    func noteUnknown(through sequence: SequenceNumber) -> [LiveInbox] {
        guard queryCount > 0 else { return [] }
        return state.withLock { state in
            var affected: [LiveInbox] = []
            for table in state.tables.values { table.addAll(.all, of: sequence, &affected) }
            return affected
        }
    }

    /// Wakes queries whose event is noted.
    static func wake(_ affected: [LiveInbox], for sequence: SequenceNumber) {
        for inbox in affected { inbox.signal.raise(sequence) }
    }

    /// Ends all queries, also those that begin later, after they have read the last state.
    ///
    /// - Parameter failure: the error with which they end immediately; nil if the store was
    ///   closed.
    func end(throwing failure: StoreError? = nil) {
        let inboxes = state.withLock { state in
            state.hasEnded = true
            state.failure = state.failure ?? failure
            var inboxes: [LiveInbox] = []
            for table in state.tables.values { table.forEach { inboxes.append($0) } }
            return inboxes
        }
        for inbox in inboxes { inbox.signal.end(throwing: failure) }
    }
}

extension LiveHub.State {
    fileprivate mutating func remove(_ inbox: LiveInbox) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(inbox)) else { return }
        tables[place.table]?.remove(number: place.number, index: place.index)
        if tables[place.table]?.isEmpty == true { tables[place.table] = nil }
    }
}
