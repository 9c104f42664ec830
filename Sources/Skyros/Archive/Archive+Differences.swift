import SkyrosLog

extension Archive {
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
