import SkyrosLog

/// Makes the content of a run from events: sorts versions by record, gives small records whole, and
/// lists the events of each label.
struct RunBuilder {
    /// Where a record comes from of which the events only say what they change.
    enum Base {
        /// The state after the last event.
        case after(Snapshot)
        /// The record before the first event, by its key; nil if it is not known.
        case before((HistoryKey) throws -> [UInt8]?)
    }

    /// A record of up to this size is stored whole with each of its versions. Neighbouring versions
    /// are nearly equal, which compression removes, and no version depends on another.
    private static let wholeBytesMax = 512
    /// A larger record is stored whole again after this number of versions at the latest.
    private static let versionsBetweenWhole = 256
    /// A record above this size is never stored whole.
    private static let everWholeBytesMax = 1 << 20

    private var versions: [(key: HistoryKey, version: RecordVersion)] = []
    private var labels: [HistoryKey: [UInt64]] = [:]
    private(set) var logByteCount = 0
    /// From the first event to the last.
    private(set) var times = TimeSpan(from: 0, through: 0)
    /// Whether no further event belongs to the run: it has as much log as one may have, or the next
    /// event is too late for it.
    private(set) var isFull = false
    /// What the run may span, in microseconds; nil for any time.
    private let timeSpanMax: Int64?
    /// The last event, and the chain hash through it.
    private(set) var last = SequenceNumber.zero
    private(set) var chainHash = ChainHash(rawValue: 0)

    init(timeSpanMax: Int64? = nil) {
        self.timeSpanMax = timeSpanMax
    }

    var isEmpty: Bool { last == .zero }

    /// Adds the changes of an event of this size, which follows those before, unless it is too
    /// late for the run: then that is full.
    mutating func append(_ event: Event, byteCount: Int, _ chainHash: ChainHash) {
        let time = event.time.microseconds
        let times = TimeSpan(from: isEmpty ? time : times.start, through: time)
        guard times.fits(timeSpanMax) else {
            isFull = true
            return
        }
        self.times = times
        versions += RecordVersion.list(of: event)
        for label in EventLabel.keys(of: event) {
            labels[label, default: []].append(event.sequence.rawValue)
        }
        logByteCount += byteCount
        isFull = logByteCount >= RunPlan.logBytesMax
        (last, self.chainHash) = (event.sequence, chainHash)
    }

    /// Writes everything, in order.
    consuming func write(to writer: inout RunWriter, _ base: Base) throws {
        var buffer = CBORWriter(capacity: 1 << 16)
        // Their keys come before those of all records.
        for (label, sequences) in labels.sorted(by: { $0.key < $1.key }) {
            buffer.removeAll(keepingCapacityUpTo: 1 << 20)
            Postings.append(sequences, to: &buffer)
            try buffer.withUnsafeBytes { try writer.append(label, $0) }
        }
        var order = Array(versions.indices)
        // Stable: the versions of a record stay in the order of their events.
        order.sort { a, b in
            let (left, right) = (versions[a].key, versions[b].key)
            return left == right ? a < b : left < right
        }
        var start = 0
        while start < order.count {
            let key = versions[order[start]].key
            var end = start + 1
            while end < order.count, versions[order[end]].key == key { end += 1 }
            var list = order[start..<end].map { versions[$0].version }
            if key.id != nil {
                try Self.makeWhole(&list, from: Self.recordBefore(list, of: key, base))
            }
            buffer.removeAll(keepingCapacityUpTo: 1 << 20)
            for version in list { version.append(to: &buffer) }
            try buffer.withUnsafeBytes { try writer.append(key, $0) }
            start = end
        }
    }

    /// Replaces differences by whole records where that is small, or due; leaves what is too large
    /// to the log.
    ///
    /// - Parameter before: the record before the first version, if it is known.
    private static func makeWhole(_ list: inout [RecordVersion], from before: [UInt8]?) throws {
        var record = before
        var (bytesSince, countSince) = (0, 0)
        for index in list.indices {
            switch list[index].image {
            case .absent: continue
            case .record(let bytes):
                record = list[index].kind == .deleted ? nil : bytes
                if bytes.count > RecordVersion.differenceBytesMax { list[index].image = .absent }
                (bytesSince, countSince) = (0, 0)
            case .difference(let before, let after):
                record = try record.flatMap {
                    try Fields.applying(before: before, after: after, to: $0)
                }
                (bytesSince, countSince) = (bytesSince + before.count + after.count, countSince + 1)
                if let record, isStoredWhole(record, after: bytesSince, countSince) {
                    list[index].image = .record(record)
                    (bytesSince, countSince) = (0, 0)
                } else if before.count + after.count > RecordVersion.differenceBytesMax {
                    list[index].image = .absent
                }
            }
        }
    }

    private static func isStoredWhole(
        _ record: [UInt8], after byteCount: Int, _ versionCount: Int
    ) -> Bool {
        if record.count <= wholeBytesMax { return true }
        guard record.count <= everWholeBytesMax else { return false }
        return record.count <= byteCount || versionCount >= versionsBetweenWhole
    }

    /// The record before the first version; nil if there was none, or it is not known.
    private static func recordBefore(
        _ list: [RecordVersion], of key: HistoryKey, _ base: Base
    ) throws -> [UInt8]? {
        guard list.first?.kind == .updated else { return nil }
        // The first version that is no update says what was there before it; otherwise the state.
        let end = list.firstIndex { $0.kind != .updated } ?? list.endIndex
        var record: [UInt8]?
        if end < list.endIndex {
            guard list[end].kind == .deleted, case .record(let bytes) = list[end].image else {
                // It was cleared, and inserted again.
                return try before(key, base)
            }
            record = bytes
        } else if case .after(let state) = base, let id = key.id {
            record = state.table(String(decoding: key.entity, as: UTF8.self))?.row(id)?.bytes
        } else {
            return try before(key, base)
        }
        for version in list[..<end].reversed() {
            guard case .difference(let before, let after) = version.image else { return nil }
            record = try record.flatMap {
                try Fields.applying(before: after, after: before, to: $0)
            }
        }
        return record
    }

    private static func before(_ key: HistoryKey, _ base: Base) throws -> [UInt8]? {
        if case .before(let find) = base { try find(key) } else { nil }
    }
}
