import SkyrosLog

extension HistoryReader {
    /// A record is found in the index for both moments in the time in which this number of events
    /// is folded.
    private static let costOfRecord = 20.0

    /// The records that differ between two events, of the index of the history; nil if states
    /// answer in less time, or only they can.
    ///
    /// - Parameters:
    ///   - entity: nil for the records of all entities.
    ///   - costOfStates: what the states cost, in events that are folded from the beginning.
    /// - Complexity: O(events between the two + r · log n) for the r records that they change.
    func differences(
        from before: SequenceNumber, to after: SequenceNumber, in entity: String?,
        _ index: HistoryIndex, costOfStates: Double
    ) throws -> [RecordDifference]? {
        let (lower, upper) = (min(before, after), max(before, after))
        guard let tail = index.firstQuestionCost(through: upper) else { return nil }
        let left = costOfStates - Double(tail)
        guard left > 0,
            let keys = try changedRecords(
                after: lower, through: upper, in: entity, countMax: Int(left / Self.costOfRecord))
        else { return nil }
        var list: [RecordDifference] = []
        var loggedBefore = LoggedVersions(EventReader(log))
        var loggedAfter = loggedBefore
        for (entity, id) in keys {
            let rowBefore = try row(
                of: entity, id, asOf: before, in: index, reading: &loggedBefore)
            let rowAfter = try row(of: entity, id, asOf: after, in: index, reading: &loggedAfter)
            // A run may have turned out to be damaged, or the tail to be too large.
            guard index.firstQuestionCost(through: upper) != nil else { return nil }
            if rowBefore == rowAfter { continue }
            list.append(
                RecordDifference(
                    rowBefore: rowBefore, rowAfter: rowAfter, entity: entity, id: id))
        }
        return list
    }

    /// The records that the events of a range change, by entity and id; nil if they are too many,
    /// or an event deletes all records of an entity.
    private func changedRecords(
        after first: SequenceNumber, through last: SequenceNumber, in entity: String?,
        countMax: Int
    ) throws -> [(entity: String, id: RecordID)]? {
        var found: Set<HistoryKey> = []
        var isWhole = true
        try EventReader(log).forEach(from: first.next, through: last) { event, _ in
            for change in event.changes where entity?.isSameName(as: change.entity) ?? true {
                guard change.id != nil, found.count < countMax else {
                    isWhole = false
                    return false
                }
                found.insert(HistoryKey(change.entity, change.id))
            }
            return true
        }
        guard isWhole else { return nil }
        return found.sorted().compactMap { key in
            key.id.map { (String(decoding: key.entity, as: UTF8.self), $0) }
        }
    }
}
