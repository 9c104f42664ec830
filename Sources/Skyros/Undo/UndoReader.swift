import SkyrosLog

/// Makes an `UndonePast` from a log.
struct UndoReader {
    let reader: HistoryReader
    /// Finds the versions of records; nil if the log is read for them.
    let index: HistoryIndex?
    /// A state of the log, no earlier than the events.
    let newest: Snapshot

    /// Up to this number of records are looked up one by one.
    ///
    /// A look-up takes about 0.1 ms. Whole states cost what lies between them and the newest one.
    static let lookUpMax = 1_000

    /// What the events did, in `ranges` that ascend and have gaps between them.
    ///
    /// - Complexity: O(changes of the events × log n) for up to 1,000 records; otherwise that of
    ///   the states before and after the events. These are needed for a clearing, too.
    /// - Throws: `StoreError` with `.noSuchEvent`; `.nothingToUndo` if the events change no
    ///   records; `.logCorrupt` and the like if the log is damaged.
    func past(_ ranges: [ClosedRange<SequenceNumber>]) throws -> UndonePast {
        var places: [HistoryKey: [Int]] = [:]
        var (hasClearing, lookUpCount) = (false, 0)
        for (place, range) in ranges.enumerated() {
            try requireEvents(range)
            try EventReader(reader.log).forEach(from: range.lowerBound, through: range.upperBound) {
                event, _ in
                for change in event.changes {
                    hasClearing = hasClearing || change.id == nil
                    let key = HistoryKey(change.entity, change.id)
                    if places[key]?.last == place { continue }
                    places[key, default: []].append(place)
                    lookUpCount += 1
                }
                return true
            }
        }
        guard !places.isEmpty else { throw Self.nothing(in: ranges) }
        guard let index, !hasClearing, lookUpCount <= Self.lookUpMax else {
            return UndonePast(ranges: ranges, records: try recordsFromStates(ranges))
        }
        var before = LoggedVersions(EventReader(reader.log))
        var after = before
        let records = try places.keys.sorted().compactMap { key in
            try record(
                key, changedBy: places[key, default: []].map { ranges[$0] }, index, &before, &after)
        }
        return UndonePast(ranges: ranges, records: records)
    }

    private func requireEvents(_ range: ClosedRange<SequenceNumber>) throws {
        try reader.requireEvent(range.upperBound)
        guard range.lowerBound > .zero else {
            throw StoreError(
                .noSuchEvent, "there is no event 0; the first one is event 1",
                at: StoreError.Place(sequences: .zero ... .zero))
        }
    }

    private static func nothing(in ranges: [ClosedRange<SequenceNumber>]) -> StoreError {
        let place = ranges.first.map { $0.lowerBound...(ranges.last ?? $0).upperBound }
        return StoreError(
            .nothingToUndo,
            "there is nothing to undo: no record was changed by the events \(ranges.text). An "
                + "event may only record a shape, or what was asked for",
            at: StoreError.Place(sequences: place))
    }

    // MARK: Record by record

    /// - Parameters:
    ///   - before: reads what the record was before the ranges.
    ///   - after: reads what it was after them.
    private func record(
        _ key: HistoryKey, changedBy ranges: [ClosedRange<SequenceNumber>], _ index: HistoryIndex,
        _ before: inout LoggedVersions, _ after: inout LoggedVersions
    ) throws -> UndonePast.UndoneRecord? {
        guard let id = key.id else { return nil }
        func shape(
            _ sequence: SequenceNumber, _ logged: inout LoggedVersions
        ) throws -> Table.Shape? {
            let entity = String(decoding: key.entity, as: UTF8.self)
            return try reader.row(of: entity, id, asOf: sequence, in: index, reading: &logged)?
                .shape
        }
        var record: UndonePast.UndoneRecord?
        for range in ranges {
            let step = UndonePast.Step(
                before: try shape(range.lowerBound.advanced(by: -1), &before),
                after: try shape(range.upperBound, &after))
            Self.add(step, from: range.lowerBound, of: key, to: &record)
        }
        return record
    }

    private static func add(
        _ step: UndonePast.Step, from start: SequenceNumber, of key: HistoryKey,
        to record: inout UndonePast.UndoneRecord?
    ) {
        guard step.before != step.after else { return }
        if record == nil {
            record = UndonePast.UndoneRecord(key, from: start, step)
        } else {
            record?.append(step)
        }
    }

    // MARK: State by state

    private func recordsFromStates(
        _ ranges: [ClosedRange<SequenceNumber>]
    ) throws -> [UndonePast.UndoneRecord] {
        var records: [HistoryKey: UndonePast.UndoneRecord] = [:]
        var state = newest
        for range in ranges {
            let first = Moment.sequence(range.lowerBound.advanced(by: -1))
            let before = try reader.snapshot(asOf: first, from: state)
            state = try reader.snapshot(asOf: .sequence(range.upperBound), from: before)
            for difference in state.differences(from: before) {
                let key = HistoryKey(difference.entity, difference.id)
                let step = UndonePast.Step(
                    before: difference.rowBefore?.shape, after: difference.rowAfter?.shape)
                Self.add(step, from: range.lowerBound, of: key, to: &records[key])
            }
        }
        return records.keys.sorted().compactMap { records[$0] }
    }
}

extension HistoryRow {
    fileprivate var shape: Table.Shape { Table.Shape(bytes: bytes, version: version) }
}
