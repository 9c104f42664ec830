import SkyrosDisk

/// The log that a backup reads, which a store may be writing meanwhile.
struct BackupSource {
    private let disk: any Disk
    private let options: LogOptions
    private let framing: PayloadFraming
    private(set) var catalog: LogCatalog
    /// The files of the log, as they were before the catalog was read.
    private var names: [String]

    init(
        _ disk: any Disk, _ options: LogOptions, _ framing: @escaping PayloadFraming
    ) throws(LogError) {
        self.disk = disk
        self.options = options
        self.framing = framing
        names = try onDisk(disk.list(.events))
        catalog = try LogFollower.inspect(disk, options, framing)
    }

    /// The header of the first segment.
    var firstHeader: SegmentHeader {
        catalog.sealed.first?.header ?? (catalog.ended.first ?? catalog.active).header
    }

    /// The bytes that may be unsynced in any segment: no event is larger.
    var unsyncedBytesMax: Int {
        let bound = catalog.headers.map(\.unsyncedBytesMax).max() ?? 0
        return min(Int(clamping: bound), 2 * LogOptions.batchBytesLimit)
    }

    /// Reads what was changed since the last call; returns whether there was anything.
    ///
    /// - Parameter wholly: whether to read all segments again.
    /// - Throws: `LogError`, with `.otherHistory` if the log is another one now. So what a copy was
    ///   checked against before its first update still holds.
    @discardableResult
    mutating func refresh(wholly: Bool = false) throws(LogError) -> Bool {
        let found = try onDisk(disk.list(.events))
        let active = catalog.active
        let isSame =
            try onDisk(disk.status(of: active.name.path))?.identity
            == onDisk(active.file.status()).identity
        if wholly || found != names || !isSame {
            catalog = try LogFollower.inspect(disk, options, framing, after: catalog)
            names = found
            return true
        }
        try catalog.active.scanFurther()
        return catalog.active.scan.endOffset > active.scan.endOffset
    }

    /// Makes every batch of the catalog durable. All but those of the active segment are.
    func syncActive() throws(LogError) {
        do throws(DiskError) {
            try catalog.active.file.sync()
        } catch {
            // On a medium that cannot be written, everything is durable.
            if !error.isUnsupported { throw LogError(error) }
        }
    }

    /// Throws unless `copy` is a part of this history, up to `last` or the end.
    func check(_ copy: LogInspection, through last: UInt64?) throws(LogError) {
        let head = copy.head
        let own = catalog.head
        guard copy.beginning == catalog.beginning else {
            throw LogError(
                .otherHistory,
                "the copy, which ends at event \(head.sequence), is of another store than the one "
                    + "to back up, which ends at event \(own.sequence); name another place")
        }
        guard head.sequence <= own.sequence else {
            throw LogError(
                .otherHistory,
                "the copy ends at event \(head.sequence), the store before it, at \(own.sequence): "
                    + "the store has lost events, or the copy was written to; name another place",
                sequences: own.sequence + 1...head.sequence)
        }
        if let last, head.sequence > last {
            throw LogError(
                .otherHistory,
                "the copy ends at event \(head.sequence), after event \(last); name another place",
                sequences: last + 1...head.sequence)
        }
        guard head.sequence > 0 else { return }
        try checkKeeps(from: head.sequence + 1)
        let hash = try catalog.chainHash(through: head.sequence)
        guard hash == head.chainHash else {
            throw LogError(
                .otherHistory,
                "the copy, which ends at event \(head.sequence), and the store, which ends at "
                    + "\(own.sequence), have different events; name another place",
                sequences: head.sequence...head.sequence)
        }
    }

    /// Throws unless the log keeps the batches from `next` on, with which the copy continues.
    func checkKeeps(from next: UInt64) throws(LogError) {
        let first = catalog.firstSequence
        guard next < first else { return }
        throw LogError(
            .belowFloor,
            "the copy ends at event \(next - 1), and the store does not keep the events before "
                + "\(first) any more; name another place", sequences: next...first - 1)
    }
}

extension LogCatalog {
    /// The first sequence of the segment that would hold `sequence`.
    func firstSequence(holding sequence: UInt64) -> UInt64 {
        let open = ([active] + ended.reversed()).lazy.map(\.header.firstSequence)
        return open.first { $0 <= sequence }
            ?? sealed.last { $0.header.firstSequence <= sequence }?.header.firstSequence ?? 1
    }

    /// The size of the open segments that hold more than the batches up to `sequence`, about.
    func openByteCount(after sequence: UInt64) -> Int {
        (ended + [active]).filter { $0.scan.lastSequence > sequence }
            .reduce(0) { $0 + $1.scan.endOffset }
    }
}
