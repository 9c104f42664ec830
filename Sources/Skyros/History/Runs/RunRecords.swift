import SkyrosDisk
import SkyrosLog

/// Finds the records of which the events of a run only say what they change.
struct RunRecords {
    /// A state this number of events before another is near: the events between are folded.
    private static let nearEventsMax: UInt64 = 400_000

    /// From a state that is newer by this number of events, the changes are taken back.
    fileprivate static let rewoundEventsMax: UInt64 = 50_000

    let index: HistoryIndex
    /// The events of the run.
    let sequences: ClosedRange<UInt64>
    /// The last event of the log that is to have a run.
    let end: SequenceNumber
    /// Gives a state of the log, best one soon after the run.
    let known: () -> Snapshot

    private var reader: HistoryReader { HistoryReader(log: index.log, empty: index.empty) }

    /// Some records as they are after the run, each at the place of its key; nil where that is not
    /// known. Call it once.
    ///
    /// - Complexity: O(keys), and O(events) since the run.
    func after(_ keys: [HistoryKey]) throws -> [[UInt8]?] {
        if keys.isEmpty { return [] }
        let last = SequenceNumber(rawValue: sequences.upperBound)
        if let records = try reader.records(keys, asOf: last, from: known) { return records }
        let kept = index.work.withLock { $0.state }
        for state in (kept.map { [$0] } ?? []) + [index.empty] {
            guard state.sequence <= last,
                last.rawValue - state.sequence.rawValue <= Self.nearEventsMax
            else { continue }
            let after = try reader.rows(asOf: last, from: state)
            if last < end { index.work.withLock { $0.state = after } }
            return after.records(keys)
        }
        return [[UInt8]?](repeating: nil, count: keys.count)
    }

    /// One record as it was before the run; nil if there was none, or it is not known.
    func before(_ key: HistoryKey) throws -> [UInt8]? {
        guard isBeforeCovered, let id = key.id else { return nil }
        let entity = String(decoding: key.entity, as: UTF8.self)
        return try reader.row(of: entity, id, asOf: lastBefore, in: index)?.bytes
    }

    /// The versions that make one record as it was before the run; none if they are not known.
    func chain(before key: HistoryKey) throws -> RunImages.Chain {
        var chain = RunImages.Chain()
        guard isBeforeCovered else { return chain }
        for version in try index.newestVersions(of: key, through: lastBefore)
        where !version.isWhole {
            chain.append(byteCount: version.image.differenceByteCount)
        }
        return chain
    }

    private var lastBefore: SequenceNumber { SequenceNumber(rawValue: sequences.lowerBound - 1) }

    /// Whether there are runs of all events before: otherwise each question would read the log.
    private var isBeforeCovered: Bool {
        let (parts, tail) = index.current()
        return tail.start >= lastBefore
            && parts.allSatisfy { part in
                guard case .missing(let range) = part else { return true }
                return range.lowerBound > lastBefore.rawValue
            }
    }
}

extension HistoryReader {
    /// Some records as they were after the event `target`, made of a state that is not much newer;
    /// nil if `known` is another one.
    ///
    /// The state is released before the log is read: as long as one is held, the writer of the
    /// store copies what it changes.
    fileprivate func records(
        _ keys: [HistoryKey], asOf target: SequenceNumber, from known: () -> Snapshot
    ) throws -> [[UInt8]?]? {
        let log = EventReader(log)
        func newest() throws -> (records: [[UInt8]?], sequence: SequenceNumber)? {
            let state = known()
            guard target <= state.sequence,
                state.sequence.rawValue - target.rawValue <= RunRecords.rewoundEventsMax,
                try log.holds(state)
            else { return nil }
            return (state.records(keys), state.sequence)
        }
        guard let newest = try newest() else { return nil }
        if newest.sequence == target { return newest.records }
        var former = FormerRecords(keys, newest.records)
        let isWhole = try log.forEachReversed(from: newest.sequence, downTo: target.next) { event in
            for change in event.changes.reversed() { try former.takeBack(change) }
            return true
        }
        return isWhole ? former.records : nil
    }
}

/// Some records, from which changes are taken back.
private struct FormerRecords {
    private(set) var records: [[UInt8]?]
    private var places: [HistoryKey: Int] = [:]

    init(_ keys: [HistoryKey], _ records: [[UInt8]?]) {
        self.records = records
        for (place, key) in keys.enumerated() { places[key] = place }
    }

    mutating func takeBack(_ change: Change) throws {
        // What a clearing has removed is not known: what is there after it was inserted since.
        guard let place = places[HistoryKey(change.entity, change.id)] else { return }
        switch change {
        case .inserted, .cleared: records[place] = nil
        case .deleted(let record): records[place] = record.fields.bytes
        case .updated(_, _, let before, let after):
            records[place] = try records[place].flatMap {
                try Fields.applying(before: after.bytes, after: before.bytes, to: $0)
            }
        }
    }
}

extension Snapshot {
    /// The bytes of some records, which are in the order of their keys; nil for those that do not
    /// exist.
    fileprivate func records(_ keys: [HistoryKey]) -> [[UInt8]?] {
        var (entity, index): ([UInt8], Int?) = ([], nil)
        return keys.map { key in
            if key.entity != entity {
                entity = key.entity
                index = self.index(of: String(decoding: entity, as: UTF8.self))
            }
            guard let index, let id = key.id else { return nil }
            return tables[index].row(id)?.bytes
        }
    }
}
