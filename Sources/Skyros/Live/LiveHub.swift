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
///
/// Tables have positions in the snapshots. When a store resumes, those without a type may move:
/// then every change reaches each query, until it is placed by a later state.
final class LiveHub: Sendable {
    fileprivate struct Place: Sendable {
        let number: UInt64
        /// The position of its table; nil if every change reaches it.
        let table: Int?
        let index: Int?
    }

    fileprivate struct State: Sendable {
        /// By the position of the entity's table in the snapshot.
        var tables: [Int: LiveTable] = [:]
        /// The queries that every change reaches.
        var unplaced = LiveTable()
        /// How often tables may have moved.
        var layout = 0
        var places: [ObjectIdentifier: Place] = [:]
        var nextNumber: UInt64 = 0
        var hasEnded = false
        var failure: StoreError?
        var dependents: [Dependent] = []
    }

    /// A hub that ends with this one.
    fileprivate struct Dependent: Sendable {
        weak var hub: LiveHub?
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

    /// How often tables may have moved. A query reads it before the state by which it is placed.
    var layout: Int { state.withLock { $0.layout } }

    /// Registers a query. Every change of any entity reaches it until it is placed.
    func register(_ inbox: LiveInbox) {
        let (hasEnded, failure) = state.withLock { state in
            state.insert(inbox, inTableAt: nil, nil)
            count.store(state.places.count, ordering: .sequentiallyConsistent)
            return (state.hasEnded, state.failure)
        }
        if hasEnded { inbox.signal.end(throwing: failure) }
    }

    /// Lets a registered query be reached by changes of one table only.
    ///
    /// Does nothing if tables may have moved since `layout`: the query will run again then.
    ///
    /// - Parameter range: where its records can be; nil for the whole table.
    func place(_ inbox: LiveInbox, inTableAt table: Int, _ range: KeyRange?, in layout: Int) {
        state.withLock { state in
            let isRegistered = state.places[ObjectIdentifier(inbox)] != nil
            guard isRegistered, layout == state.layout else { return }
            state.insert(inbox, inTableAt: table, range)
        }
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
                state.unplaced.add(change, of: sequence, &affected)
            }
            return affected
        }
    }

    /// Notes events through `sequence` whose changes are not known, and after which tables may have
    /// other positions: every query runs again.
    ///
    /// - Returns: all queries, which `wake` wakes.
    func noteUnknown(through sequence: SequenceNumber) -> [LiveInbox] {
        state.withLock { state in
            state.forgetTables()
            var affected: [LiveInbox] = []
            state.unplaced.addAll(.all, of: sequence, &affected)
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
        let (inboxes, dependents) = state.withLock { state in
            state.hasEnded = true
            state.failure = state.failure ?? failure
            var inboxes: [LiveInbox] = []
            for table in state.tables.values { table.forEach { inboxes.append($0) } }
            state.unplaced.forEach { inboxes.append($0) }
            return (inboxes, state.dependents.compactMap(\.hub))
        }
        for inbox in inboxes { inbox.signal.end(throwing: failure) }
        for hub in dependents { hub.end(throwing: failure) }
    }

    /// Ends another hub together with this one, which does not keep it.
    func endTogether(with other: LiveHub) {
        let (hasEnded, failure) = state.withLock { state in
            state.dependents.removeAll { $0.hub == nil }
            state.dependents.append(Dependent(hub: other))
            return (state.hasEnded, state.failure)
        }
        if hasEnded { other.end(throwing: failure) }
    }
}

extension LiveHub.State {
    /// Puts a query where changes of a table reach it, or all changes if `table` is nil.
    fileprivate mutating func insert(
        _ inbox: LiveInbox, inTableAt table: Int?, _ range: KeyRange?
    ) {
        remove(inbox)
        let place = LiveHub.Place(number: nextNumber, table: table, index: range?.index)
        nextNumber += 1
        places[ObjectIdentifier(inbox)] = place
        if let table {
            tables[table, default: LiveTable()].insert(inbox, number: place.number, range)
        } else {
            unplaced.insert(inbox, number: place.number, nil)
        }
    }

    fileprivate mutating func remove(_ inbox: LiveInbox) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(inbox)) else { return }
        guard let table = place.table else {
            return unplaced.remove(number: place.number, index: nil)
        }
        tables[table]?.remove(number: place.number, index: place.index)
        if tables[table]?.isEmpty == true { tables[table] = nil }
    }

    /// Lets every change reach all queries.
    fileprivate mutating func forgetTables() {
        layout += 1
        var placed: [LiveInbox] = []
        for table in tables.values { table.forEach { placed.append($0) } }
        for inbox in placed { insert(inbox, inTableAt: nil, nil) }
    }
}
