public import Foundation

extension Store {
    /// The state at a time, made of events in the order in which they happened: as it is known now,
    /// or as it was known at a moment.
    ///
    ///     let march = try store.snapshot(occurred: endOfMarch).snapshot
    ///     let asReported = try store.snapshot(occurred: endOfMarch, knownAt: .date(reportDay))
    ///
    /// An event happened at its `Metadata.occurredAt`, and without that when it was recorded. If
    /// the order differs from that of the log, some changes may not fit what is there then:
    /// ``OccurredSnapshot/misfits`` lists them.
    ///
    /// - Parameters:
    ///   - date: the time.
    ///   - moment: events after it are left out. Default: none are.
    /// - Complexity: that of ``snapshot(asOf:)`` if no event says when it happened, and O(events)
    ///   to read them if they were recorded in that order; otherwise O(events log events), and 16
    ///   bytes of memory for each.
    /// - Throws: as ``snapshot(asOf:)``.
    public func snapshot(
        occurred date: Date, knownAt moment: Moment? = nil
    ) throws -> OccurredSnapshot {
        let (session, current) = (session, view.current)
        let reader = HistoryReader(log: session.engine, empty: session.empty)
        let last = try moment.map { try reader.sequence(of: $0) } ?? current.sequence
        return try reader.snapshot(
            occurred: EventTime(checking: date), knownThrough: last, in: session.history,
            from: current)
    }

    /// One record at a time, as it is known now, or as it was known at a moment; nil if there was
    /// none.
    ///
    ///     let old = try store.get(Customer.self, id, occurred: endOfMarch, knownAt: .date(may))
    ///
    /// - Complexity: O(versions of the record), each with a part of the log. With
    ///   `Options.historyIndex = .scan`, that of ``snapshot(occurred:knownAt:)``.
    /// - Throws: `StoreError` with `.noSuchEvent` if there is no such event yet, `.belowFloor` if
    ///   the history of then was pruned, `.unknownEntity` if the store was opened without the type,
    ///   `.notDecodable`, `.logCorrupt` and the like if the log is damaged.
    public func get<E: Entity>(
        _ type: E.Type, _ id: E.ID, occurred date: Date, knownAt moment: Moment? = nil
    ) throws -> E? {
        let (session, current) = (session, view.current)
        guard let index = session.history else {
            return try snapshot(occurred: date, knownAt: moment).snapshot.get(type, id)
        }
        guard try current.tableIndex(of: type) != nil else { return nil }
        let reader = HistoryReader(log: session.engine, empty: session.empty)
        let last = try moment.map { try reader.sequence(of: $0) } ?? current.sequence
        return try reader.row(
            of: E.entityName, RecordCoding.id(id, of: type), occurred: EventTime(checking: date),
            knownThrough: last, in: index)?.value(as: type)
    }
}
