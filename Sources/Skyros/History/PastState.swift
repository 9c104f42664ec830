import SkyrosDisk
import SkyrosLog

/// The state at a moment of the past, of which only that is read from the disk which is asked for.
///
///     let then = try store.past(asOf: .date(lastYear))
///     let order = try then.get(Order.self, id)
///     let open = try then.all(Order.self, where: \.isOpen == true)
///
/// It answers as ``Store/snapshot(asOf:)`` does. Making it costs next to nothing:
///
/// - A read by id finds the versions of that record in the index of the history.
/// - Any other read of one type makes the table of that type, and keeps it for the reads that
///   follow. What has not changed since is shared with the newest state.
/// - Reads of several types, such as joins, and those by the name of an entity make the whole
///   state, and keep it.
///
/// May be used from any thread. Unlike a ``Snapshot`` it reads the store's files: what it has not
/// kept can no longer be read after the store was erased, or the history of then pruned.
public struct PastState: RecordSource {
    /// The last event in the state; zero if there was none.
    public let sequence: SequenceNumber
    private let current: Snapshot
    private let reader: HistoryReader
    /// Nil if the log is read for all questions.
    private let index: HistoryIndex?
    private let made = Made()

    /// - Parameter current: the newest state.
    init(
        _ sequence: SequenceNumber, _ reader: HistoryReader, _ index: HistoryIndex?,
        _ current: Snapshot
    ) {
        self.sequence = sequence
        self.reader = reader
        self.index = index
        self.current = current
    }

    /// What was made so far.
    private final class Made: Sendable {
        struct Parts: Sendable {
            var whole: Snapshot?
            /// Whether it is known that the whole state cannot be made of the newest one.
            var cannotRewind = false
            /// States that have all records of an entity.
            var byEntity = NamedValues<Snapshot>()
        }
        let parts = Locked(Parts())
    }

    /// The whole state, as ``Store/snapshot(asOf:)`` makes it.
    public var snapshot: Snapshot {
        get throws {
            if let whole = made.parts.withLock({ $0.whole }) { return whole }
            let whole =
                sequence == current.sequence
                ? current : try reader.snapshot(asOf: .sequence(sequence), from: current)
            return keep(whole)
        }
    }

    /// All records of a type. They are kept for the reads that follow.
    ///
    /// - Complexity: O(1) if there is one already; otherwise O(events since), for up to
    ///   50,000; beyond that O(records of the type · log n), and the
    ///   part of each run of the history that has them.
    /// - Throws: as ``Store/snapshot(asOf:)``.
    public func state<E: Entity>(of type: E.Type) throws -> EntityState {
        EntityState(try part(of: type))
    }

    /// The whole state, or one that has the records of the type, and none of others.
    private func part<E: Entity>(of type: E.Type) throws -> Snapshot {
        let entity = E.entityName
        if let made = kept(entity) { return made }
        guard let index, let table = try current.tableIndex(of: type),
            current.tables[table].type != nil
        else { return try snapshot }
        if let near = try near() { return keep(near) }
        let part = try reader.part(current, ofTableAt: table, asOf: sequence, in: index)
        made.parts.withLock { $0.byEntity[entity] = part }
        return part
    }

    /// The record with this id, or nil, without the rest of the state.
    ///
    /// - Complexity: O(log n) for each run of the history.
    /// - Throws: as ``Store/get(_:_:asOf:)``.
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E? {
        try answer(type, id, { try $0.get(type, id) }, { try $0.value(as: type) })
    }

    /// Whether there is a record with this id, without the rest of the state.
    ///
    /// - Complexity: and errors: as of `get`.
    public func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        try answer(type, id, { try $0.exists(type, id) }, { _ in true }) ?? false
    }

    /// Calls `body` with the record with this id; nil if there is none.
    ///
    /// - Complexity: as of `get`.
    /// - Throws: as `get`; what `body` throws.
    public func withValue<E: Entity, R>(
        of type: E.Type, _ id: E.ID, _ body: (borrowing E) throws -> R
    ) throws -> R? {
        try answer(
            type, id, { try $0.withValue(of: type, id, body) }, { try body($0.value(as: type)) })
    }

    /// The records with these ids, each at the place of its id; nil where there is none.
    ///
    /// - Complexity: for each id as of one; beyond 500 of them as ``state(of:)``.
    /// - Throws: as `get` of one.
    public func get<E: Entity>(_ type: E.Type, _ ids: some Sequence<E.ID>) throws -> [E?] {
        let ids = Array(ids)
        if ids.count > Self.lookupsMax { return try part(of: type).get(type, ids) }
        return try ids.map { try get(type, $0) }
    }

    private static let lookupsMax = 500

    private func answer<E: Entity, R>(
        _ type: E.Type, _ id: E.ID, _ ofKept: (Snapshot) throws -> R?,
        _ ofRow: (HistoryRow) throws -> R
    ) throws -> R? {
        if let made = kept(E.entityName) { return try ofKept(made) }
        // Without runs each question would read the log.
        guard let index, index.isQuick(through: sequence) else { return try ofKept(part(of: type)) }
        _ = try current.tableIndex(of: type)
        let id = try RecordCoding.id(id, of: type)
        return try reader.row(of: E.entityName, id, asOf: sequence, in: index).map(ofRow)
    }

    private func kept(_ entity: String) -> Snapshot? {
        if sequence == current.sequence { return current }
        return made.parts.withLock { $0.whole ?? $0.byEntity[entity] }
    }

    /// Keeps the whole state; returns the one that another thread has kept before, if any.
    private func keep(_ whole: Snapshot) -> Snapshot {
        made.parts.withLock { parts in
            let kept = parts.whole ?? whole
            parts.whole = kept
            parts.byEntity = [:]
            return kept
        }
    }

    /// Beyond this number of events, the table of a type is read from the index in less time.
    private static let eventsMax = 50_000

    /// The whole state, made of the newest one; nil if that is too far, or impossible.
    private func near() throws -> Snapshot? {
        if made.parts.withLock({ $0.cannotRewind }) { return nil }
        let near = try reader.near(sequence, from: current, takingBack: Self.eventsMax)
        if near == nil { made.parts.withLock { $0.cannotRewind = true } }
        return near
    }
}
