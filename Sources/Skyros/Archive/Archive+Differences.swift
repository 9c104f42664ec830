import SkyrosLog

extension Archive {
    /// The records that differ between two moments, by entity and id.
    ///
    ///     for difference in try archive.diff(from: .date(yesterday), to: .date(.now)) {
    ///         print(difference.kind, difference.entity, difference.id)
    ///     }
    ///
    /// The second moment may be the earlier one.
    ///
    /// - Parameters:
    ///   - first: the moment whose records are the former ones.
    ///   - second: the moment whose records are the later ones.
    ///   - entity: nil for the records of all entities.
    ///   - progress: called now and then with the number of records and events read, and that of
    ///     all; once for each state if both have to be made.
    /// - Complexity: O(events between the moments + r · log n) for the r records that they change,
    ///   and O(events) of the part of the log that the store's index of the history does not cover,
    ///   about 1 MiB, if that is less than two states cost; otherwise that of two states.
    /// - Throws: `StoreError` with `.noSuchEvent` if there is no such event yet, `.belowFloor` if
    ///   the history of then was pruned, `.logCorrupt` and the like if what it reads of the log is
    ///   damaged.
    public func diff(
        from first: Moment, to second: Moment, in entity: String? = nil,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> [RecordDifference] {
        if let list = try? indexedDifferences(first, second, in: entity) { return list }
        let before = try nearestSnapshot(asOf: first, progress: progress)
        let after = try nearestSnapshot(asOf: second, from: before, progress: progress)
        return after.differences(from: before, in: entity)
    }

    /// The same of the index of the history; nil if states answer in less time, or only they can.
    private func indexedDifferences(
        _ first: Moment, _ second: Moment, in entity: String?
    ) throws -> [RecordDifference]? {
        guard let historyIndex else { return nil }
        let reader = historyReader
        let (before, after) = try (reader.sequence(of: first), reader.sequence(of: second))
        return try reader.differences(
            from: before, to: after, in: entity, historyIndex,
            costOfStates: cost(of: min(before, after)))
    }

    /// The first event that this store and another one do not have in common; nil if both have the
    /// same events.
    ///
    ///     if let event = try original.firstDifference(from: copy) { … }
    ///
    /// Two copies of one store have the same events up to it. Events of different stores are
    /// compared byte for byte: number, time, metadata and changes.
    ///
    /// - Returns: a number that is one greater than the last event of the shorter log, if the other
    ///   one continues it.
    /// - Complexity: O(log n) parts of the logs for copies of one store; otherwise O(events that
    ///   are the same).
    /// - Throws: `StoreError` with `.belowFloor` if they differ in events that one of them does not
    ///   keep; `.logCorrupt` and the like if one of the logs is damaged.
    public func firstDifference(from other: Archive) throws -> SequenceNumber? {
        let (own, others) = (EventReader(log), EventReader(other.log))
        let common = min(sequence, other.sequence)
        // What was pruned from one of them cannot be compared but by a chain hash.
        let start = max(own.first, others.first)
        guard start.advanced(by: -1) <= common else {
            throw StoreError.belowFloor("one log ends before the other one begins", start)
        }
        if start > 1 {
            let last = start.advanced(by: -1)
            guard log.beginning == other.log.beginning,
                try own.check(through: last) == others.check(through: last)
            else {
                throw StoreError.belowFloor("the logs differ in or before event \(last)", start)
            }
        }
        let first =
            log.beginning == other.log.beginning
            ? try own.firstDifference(from: others, through: common)
            : try own.firstOtherEvent(than: others, through: common)
        if first <= common { return first }
        return sequence == other.sequence ? nil : first
    }
}

extension EventReader {
    /// The first event with another chain hash than in the other log, which begins with the same
    /// one; the number after `last` if there is none.
    fileprivate func firstDifference(
        from other: EventReader, through last: SequenceNumber
    ) throws -> SequenceNumber {
        // The wanted number is in lower...upper.
        let start = max(first, other.first).rawValue
        var (lower, upper) = (start, max(start, last.rawValue + 1))
        while lower < upper {
            let middle = SequenceNumber(rawValue: lower + (upper - lower) / 2)
            if try check(through: middle) == other.check(through: middle) {
                lower = middle.rawValue + 1
            } else {
                upper = middle.rawValue
            }
        }
        return SequenceNumber(rawValue: lower)
    }

    /// The first event with other bytes than in the other log; the number after `last` if there is
    /// none.
    fileprivate func firstOtherEvent(
        than other: EventReader, through last: SequenceNumber
    ) throws -> SequenceNumber {
        var next = max(first, other.first)
        while next <= last {
            let (events, others) = try (
                part(from: next, through: last), other.part(from: next, through: last)
            )
            let count = min(events.count, others.count)
            guard count > 0 else { return next }
            let same = zip(events, others).prefix { $0 == $1 }.count
            next = next.advanced(by: same)
            if same < count { return next }
        }
        return next
    }
}
