import SkyrosLog

/// Makes the content of a run from events: sorts versions by record, gives small records whole, and
/// lists the events of each label.
struct RunBuilder: ~Copyable {
    private var versions = RunVersions()
    private var labels = RunLabels()
    private var outline = EventOutline()
    private(set) var logByteCount = 0
    /// From the first event to the last.
    private(set) var times = TimeSpan(from: 0, through: 0)
    /// When the events happened.
    private(set) var happened = HappeningOrder()
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

    /// Adds the changes of the event `sequence` with these bytes, which follows those before,
    /// unless it is too late for the run: then that is full.
    ///
    /// - Throws: `StoreError` if the event is not valid, or a newer version wrote it.
    mutating func append(
        _ sequence: SequenceNumber, _ bytes: UnsafeRawBufferPointer, _ chainHash: ChainHash
    ) throws {
        let isUsual = outline.read(bytes, expecting: sequence)
        let event = isUsual ? nil : try EventCoding.event(from: bytes, expecting: sequence)
        let time = (event?.time ?? outline.time).microseconds
        let times = TimeSpan(from: isEmpty ? time : times.start, through: time)
        guard times.fits(timeSpanMax) else {
            isFull = true
            return
        }
        self.times = times
        happened.append(event?.happenedAt ?? outline.happenedAt)
        if let event {
            versions.append(event)
            labels.append(event)
        } else {
            versions.append(outline, sequence, in: bytes)
            labels.append(outline, sequence, in: bytes)
        }
        logByteCount += bytes.count
        isFull = logByteCount >= RunPlan.logBytesMax
        (last, self.chainHash) = (sequence, chainHash)
    }

    /// Writes everything, in order.
    ///
    /// - Parameter records: finds what the events do not say.
    func write(to writer: inout RunWriter, _ records: RunRecords) throws {
        let (order, groups) = versions.sorted()
        let isUpdated = order.map { versions.kind(at: $0) == .updated }
        let after = try recordsAfter(
            order, groups.filter { isUpdated[$0].allSatisfy(\.self) }, records)
        var buffer = CBORWriter(capacity: 1 << 16)
        var key = CBORWriter()
        // Their keys come before those of all records.
        try labels.forEach { label, sequences in
            buffer.removeAll(keepingCapacityUpTo: 1 << 20)
            Postings.append(sequences, to: &buffer)
            try buffer.withUnsafeBytes { try writer.append(label, $0) }
        }
        for group in groups {
            let places = order[group]
            key.removeAll()
            versions.append(keyAt: order[group.lowerBound], to: &key)
            buffer.removeAll(keepingCapacityUpTo: 1 << 20)
            if isUpdated[group].contains(true) {
                var images = RunImages(places.map { versions.version(at: $0) })
                let place = order[group.lowerBound]
                try images.makeWhole(after: after[group.lowerBound]) {
                    try records.before(versions.key(at: place))
                } chainBefore: {
                    try records.chain(before: versions.key(at: place))
                }
                for version in images.versions { version.append(to: &buffer) }
            } else {
                for place in places { versions.append(versionAt: place, to: &buffer) }
            }
            try key.withUnsafeBytes { key in
                try buffer.withUnsafeBytes { try writer.append(key, $0) }
            }
        }
    }

    /// The records after the run of groups, which have updates only, by the beginnings of the
    /// groups; those that are not known are left out.
    private func recordsAfter(
        _ order: [Int], _ updated: [Range<Int>], _ records: RunRecords
    ) throws -> [Int: [UInt8]] {
        var all: [Int: [UInt8]] = [:]
        let found = try records.after(updated.map { versions.key(at: order[$0.lowerBound]) })
        for (group, record) in zip(updated, found) { all[group.lowerBound] = record }
        return all
    }
}
