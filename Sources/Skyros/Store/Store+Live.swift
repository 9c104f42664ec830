// Queries and changes that are followed.

public import Foundation

extension Store {
    /// The result of a request, now and after each event that changes it.
    ///
    ///     let newest = FetchRequest<Order>(sortedBy: [.descending(\.createdAt)], limit: 20)
    ///     for try await orders in store.live(newest) { … }
    ///
    /// Calling it reads nothing; each iteration runs the query once.
    ///
    /// - Parameters:
    ///   - request: which records, in which order, and how many.
    ///   - kinds: the kinds of changes to the result's records after which there is a new result.
    ///     Others are in the result of the next one. An update that makes a record pass the filter
    ///     is an update.
    public func live<E: Entity>(
        _ request: FetchRequest<E>, on kinds: ChangeKinds = .all
    ) -> LiveQuery<E> {
        LiveQuery(request, on: kinds, liveHub)
    }

    /// The records that pass the filter, sorted, now and after each event that changes them.
    ///
    ///     for try await cards in store.live(Card.self, where: \.board == id, sortedBy: \.rank) {
    ///         show(cards)
    ///     }
    ///
    /// See ``live(_:on:)`` and ``LiveQuery``.
    public func live<E: Entity>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = [],
        offset: Int = 0, limit: Int? = nil, on kinds: ChangeKinds = .all
    ) -> LiveQuery<E> {
        live(
            FetchRequest(where: filter, sortedBy: sort, offset: offset, limit: limit), on: kinds)
    }

    /// The records that pass the filter, by ascending values of one field, now and after each event
    /// that changes them.
    public func live<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy path: FieldPath<E, V>,
        offset: Int = 0, limit: Int? = nil, on kinds: ChangeKinds = .all
    ) -> LiveQuery<E> {
        live(
            type, where: filter, sortedBy: [.ascending(path)], offset: offset, limit: limit,
            on: kinds)
    }

    /// The records that pass the filter, by ascending values of one field, now and after each event
    /// that changes them; nil comes first.
    public func live<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy path: FieldPath<E, V?>,
        offset: Int = 0, limit: Int? = nil, on kinds: ChangeKinds = .all
    ) -> LiveQuery<E> {
        live(
            type, where: filter, sortedBy: [.ascending(path)], offset: offset, limit: limit,
            on: kinds)
    }

    /// The records for which a predicate holds, sorted, now and after each event that changes them.
    public func live<E: Entity>(
        _ type: E.Type, where predicate: Predicate<E>, sortedBy sort: [Sort<E>] = [],
        offset: Int = 0, limit: Int? = nil, on kinds: ChangeKinds = .all
    ) -> LiveQuery<E> {
        live(
            type, where: Filter(predicate), sortedBy: sort, offset: offset, limit: limit, on: kinds)
    }

    /// The changes of the records of one type, event by event, with the values before and after.
    ///
    ///     for try await event in store.changes(of: Card.self, on: [.inserts, .updates]) {
    ///         for change in event.changes { index(try change.after) }
    ///     }
    ///
    /// - Parameters:
    ///   - type: the type of the records.
    ///   - filter: the records that are wanted: they pass before the event, or after it.
    ///   - kinds: the kinds of changes that are wanted.
    ///   - sequence: the event after which the stream begins: 0 for all, nil for those from now on.
    ///     From an earlier event on, the first read folds the log up to it.
    public func changes<E: Entity>(
        of type: E.Type, where filter: Filter<E>? = nil, on kinds: ChangeKinds = .all,
        after sequence: SequenceNumber? = nil
    ) -> RecordChangeStream<E> {
        let current = view.current
        let first = sequence ?? current.sequence
        let begin: @Sendable () throws -> Snapshot
        if first == current.sequence {
            // The state is kept now, and only of this type: later it is in the past.
            let records = Result { try RecordChangeCursor<E>.records(of: current) }
            begin = { try records.get() }
        } else {
            let reader = historyReader
            begin = { try reader.snapshot(asOf: .sequence(first)) }
        }
        return RecordChangeStream(
            events: changes(after: first), view: view, filter: filter, kinds: kinds, begin: begin)
    }

    /// Calls `body` before each commit that changes a record; it may refuse the commit by throwing.
    ///
    ///     let hook = store.willCommit { commit in
    ///         for change in try commit.changes(of: Account.self) {
    ///             if let cents = try change.after?.cents, cents < 0 { throw Overdrawn() }
    ///         }
    ///     }
    ///
    /// The hook runs as the last part of the write block: on its thread, when its changes are known
    /// and not yet visible to readers. If it throws, nothing is written, and the write throws the
    /// error. Several hooks run in the order of their registration. A block that changes no record
    /// calls none, nor does one that throws.
    ///
    /// As in a write block, the store may be read, and a write to it throws `.nestedWrite`. Other
    /// writers wait meanwhile: do not wait for one of them.
    ///
    /// - Returns: the registration. It ends when it is released, so keep it.
    public func willCommit(
        _ body: @escaping @Sendable (PendingCommit) throws -> Void
    ) -> CommitHook {
        commitHooks.add(body)
    }
}
