import SkyrosDisk

/// The log that a backup writes: its segments, and the log itself while batches are appended.
struct BackupTarget {
    /// A segment of the copy.
    fileprivate struct Piece {
        let name: SegmentName
        var lastSequence: UInt64
        var chainHashAfter: ChainHash
        var byteCount: Int

        var firstSequence: UInt64 { name.firstSequence }
    }

    let disk: any Disk
    let format: FrameFormat
    let directory: SegmentDirectory
    private var options: LogOptions
    private let framing: PayloadFraming
    /// In the order of their batches. The last one is the active segment.
    fileprivate var pieces: [Piece] = []
    private(set) var head: LogHead
    /// The log, while it is open.
    private var log: FileLog?

    /// The sizes of a log that follows another one: its segments end only where that one's do.
    private static func options(_ unsyncedBytesMax: Int) -> LogOptions {
        var options = LogOptions()
        options.segmentBytesMax = .max
        options.batchBytesMax = LogOptions.batchBytesLimit
        options.unsyncedBytesMax = max(options.unsyncedBytesMax, unsyncedBytesMax)
        return options
    }

    /// Opens the log that was found on `disk`, and repairs it after a crash.
    init(
        _ found: LogInspection, on disk: any Disk, _ framing: @escaping PayloadFraming,
        unsyncedBytesMax: Int
    ) throws(LogError) {
        let options = Self.options(unsyncedBytesMax)
        let (log, _) = try FileLog.open(found, on: disk, options)
        self.init(log, on: disk, options, framing)
    }

    /// Makes an empty log whose first segment has `header`, after a floor if it has one.
    init(
        beginning header: SegmentHeader, after floor: LogFloor?, on disk: any Disk,
        _ framing: @escaping PayloadFraming, salt: UInt64, unsyncedBytesMax: Int
    ) throws(LogError) {
        let options = Self.options(unsyncedBytesMax)
        try onDisk(disk.makeDirectoryDurably(.events))
        var header = header
        header.salt = salt
        header.unsyncedBytesMax = UInt64(options.unsyncedBytesMax)
        let directory = SegmentDirectory(on: disk)
        let copy = try floor.map { floor throws(LogError) in try floor.copied(to: directory) }
        let active = try OpenSegment(creating: header, in: directory)
        let catalog = LogCatalog(
            format: FrameFormat(options, framing), floor: copy, active: active)
        self.init(FileLog(catalog, on: disk, options), on: disk, options, framing)
    }

    private init(
        _ log: FileLog, on disk: any Disk, _ options: LogOptions,
        _ framing: @escaping PayloadFraming
    ) {
        self.disk = disk
        self.options = options
        self.framing = framing
        self.log = log
        directory = log.directory
        format = FrameFormat(options, framing)
        head = log.head
        let catalog = log.state.withLock(\.catalog)
        pieces =
            catalog.sealed.map { Piece($0) } + (catalog.ended + [catalog.active]).map { Piece($0) }
    }
}

// MARK: - Segments

extension BackupTarget {
    /// The bound of unsynced bytes, for the header of the next segment.
    var unsyncedBytesMax: UInt64 { UInt64(options.unsyncedBytesMax) }

    /// The first sequence of the active segment.
    var activeFirstSequence: UInt64 { pieces[pieces.count - 1].firstSequence }

    /// Whether the copy has this file.
    func has(_ segment: SealedSegment) -> Bool {
        let own = piece(beginning: segment.first)
        return own?.name.kind == .sealed && own?.lastSequence == segment.lastSequence
            && own?.chainHashAfter == segment.chainHashAfter && own?.byteCount == segment.byteCount
    }

    /// Whether the file can take the place of those that hold its batches, if any: it begins where
    /// one of them begins, ends where one ends or after all, and no open one comes before it.
    func takes(_ segment: SealedSegment) -> Bool {
        guard let index = index(ofFirst: segment.first),
            pieces[index].firstSequence == segment.first
        else { return false }
        let within = pieces[index...].prefix { $0.firstSequence <= segment.lastSequence }
        return within.allSatisfy { $0.lastSequence <= segment.lastSequence }
            && !pieces[..<index].contains { $0.name.kind == .open }
    }

    /// Whether a segment begins after the batches of `segment`.
    func hasSuccessor(of segment: SealedSegment) -> Bool {
        piece(beginning: segment.lastSequence + 1) != nil
    }

    /// Puts a sealed segment in the place of those within its range, and returns their names.
    mutating func replace(
        by segment: SealedSegment, successor: SegmentName?
    ) -> [SegmentName] {
        let range = segment.range
        let replaced = pieces.filter { range.contains($0.firstSequence) }.map(\.name)
        let index = index(ofFirst: segment.first) ?? pieces.count
        pieces.removeAll { range.contains($0.firstSequence) }
        pieces.insert(Piece(segment), at: index)
        if let successor {
            pieces.append(
                Piece(
                    name: successor, lastSequence: segment.lastSequence,
                    chainHashAfter: segment.chainHashAfter, byteCount: 0))
        }
        if segment.lastSequence > head.sequence { head = segment.head }
        return replaced.filter { $0 != segment.name }
    }

    private func piece(beginning first: UInt64) -> Piece? {
        index(ofFirst: first).map { pieces[$0] }.flatMap { $0.firstSequence == first ? $0 : nil }
    }

    /// The segment that begins with `first`, or the last one before it.
    private func index(ofFirst first: UInt64) -> Int? {
        let next = pieces.partitioningIndex { $0.firstSequence > first }
        return next == 0 ? nil : next - 1
    }
}

// MARK: - The log

extension BackupTarget {
    /// The log, opened for appending.
    mutating func openLog() throws(LogError) -> FileLog {
        if let log { return log }
        let found = try LogInspection(of: disk, options, framing: framing)
        let (opened, _) = try FileLog.open(found, on: disk, options)
        log = opened
        return opened
    }

    /// Lets more bytes be unsynced, which the header of the active segment must say.
    mutating func allow(unsyncedBytes count: Int) throws(LogError) {
        guard count > options.unsyncedBytesMax else { return }
        try closeLog()
        options.unsyncedBytesMax = count
    }

    /// Closes the log in order, before files are changed.
    mutating func closeLog() throws(LogError) {
        try log?.close()
        log = nil
    }

    /// Notes what was appended to the log.
    mutating func noteAppended(_ log: FileLog) {
        head = log.head
        let catalog = log.state.withLock(\.catalog)
        pieces.removeAll { $0.name.kind == .open }
        pieces += (catalog.ended + [catalog.active]).map { Piece($0) }
    }
}

extension BackupTarget.Piece {
    fileprivate init(_ segment: SealedSegment) {
        name = segment.name
        lastSequence = segment.lastSequence
        chainHashAfter = segment.chainHashAfter
        byteCount = segment.byteCount
    }

    fileprivate init(_ segment: OpenSegment) {
        name = segment.name
        lastSequence = segment.scan.lastSequence
        chainHashAfter = segment.scan.lastChainHash
        byteCount = segment.scan.endOffset
    }
}
