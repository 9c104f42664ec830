import SkyrosLog

/// Makes the content of a run from events: sorts versions by record, gives small records whole, and
/// lists the events of each label.
struct RunBuilder {
    private var keys: [HistoryKey] = []
    /// One for each of the keys.
    private var versions: [RecordVersion] = []
    private var labels = RunLabels()
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
        let list = RecordVersion.list(of: event)
        for (key, version) in list {
            keys.append(key)
            versions.append(version)
        }
        labels.append(event, list.first?.version.about)
        logByteCount += byteCount
        isFull = logByteCount >= RunPlan.logBytesMax
        (last, self.chainHash) = (event.sequence, chainHash)
    }

    /// Writes everything, in order.
    ///
    /// - Parameter records: finds what the events do not say.
    consuming func write(to writer: inout RunWriter, _ records: RunRecords) throws {
        let (order, groups) = sorted()
        let after = try recordsAfter(order, groups, records)
        var buffer = CBORWriter(capacity: 1 << 16)
        // Their keys come before those of all records.
        try labels.forEach { label, sequences in
            buffer.removeAll(keepingCapacityUpTo: 1 << 20)
            Postings.append(sequences, to: &buffer)
            try buffer.withUnsafeBytes { try writer.append(label, $0) }
        }
        for (number, group) in groups.enumerated() {
            let key = keys[order[group.lowerBound]]
            var images = RunImages(order[group].map { versions[$0] })
            if key.id != nil {
                try images.makeWhole(after: after[number]) { try records.before(key) }
            }
            buffer.removeAll(keepingCapacityUpTo: 1 << 20)
            for version in images.versions { version.append(to: &buffer) }
            try buffer.withUnsafeBytes { try writer.append(key, $0) }
        }
    }

    /// The places of the versions in the order of their keys, those of a record in the order of
    /// their events; and the ranges in it that have the same key.
    private func sorted() -> (order: [Int], groups: [Range<Int>]) {
        let entities = Set(keys.lazy.map(\.entity)).sorted { $0.lexicographicallyPrecedes($1) }
        let ranks = Dictionary(uniqueKeysWithValues: zip(entities, entities.indices))
        // Comparing these follows no reference, unless an id is long.
        var items = keys.enumerated().map { place, key in
            (rank: ranks[key.entity] ?? 0, id: key.id, place: place)
        }
        items.sort { a, b in
            if a.rank != b.rank { return a.rank < b.rank }
            if a.id == b.id { return a.place < b.place }
            guard let left = a.id, let right = b.id else { return a.id == nil }
            return left < right
        }
        var groups: [Range<Int>] = []
        var start = 0
        for end in items.indices.dropFirst()
        where items[end].rank != items[start].rank || items[end].id != items[start].id {
            groups.append(start..<end)
            start = end
        }
        if !items.isEmpty { groups.append(start..<items.count) }
        return (items.map(\.place), groups)
    }

    /// The records after the run, one for each group; nil for those that are not only updated, and
    /// that are not known.
    private func recordsAfter(
        _ order: [Int], _ groups: [Range<Int>], _ records: RunRecords
    ) throws -> [[UInt8]?] {
        var all = [[UInt8]?](repeating: nil, count: groups.count)
        let updated = groups.indices.filter { number in
            order[groups[number]].allSatisfy { versions[$0].kind == .updated }
        }
        let found = try records.after(updated.map { keys[order[groups[$0].lowerBound]] })
        for (number, record) in zip(updated, found) { all[number] = record }
        return all
    }
}
