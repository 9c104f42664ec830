package import SkyrosDisk

/// The state of a log's files: which there are, whether they fit together, and what an opening for
/// writing has to repair.
///
/// An inspection changes nothing. Everything that can refuse an opening is found here, so a refused
/// opening leaves the disk as it was (promise P5).
package struct LogInspection: LogReader {
    private(set) var catalog: LogCatalog?
    /// Files that a crash left and that hold nothing that other files do not.
    private(set) var leftovers: [SegmentName] = []
    private(set) var verdict: TailVerdict = .clean

    /// The store that the log belongs to; nil if there is no log yet.
    package var storeID: StoreID? { catalog?.active.header.storeID }

    /// The last batch that an opening keeps.
    package var head: LogHead {
        catalog?.head ?? LogHead(sequence: 0, chainHash: ChainHash(rawValue: 0))
    }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        try catalog?.chunk(containing: sequence)
    }

    /// Inspects the log on `disk`.
    ///
    /// - Throws: `LogError`, with `.io` if a file cannot be read; `.corrupt`, `.chainBroken` or
    ///   `.segmentMissing` if segments are damaged or do not continue each other;
    ///   `.unsupportedFormat` if a newer version wrote them. Damage at the end of the active
    ///   segment is not thrown: see `refusal`.
    package init(
        of disk: any Disk, _ options: LogOptions, framing: @escaping PayloadFraming
    ) throws(LogError) {
        let segments = try onDisk(disk.list(.events)).compactMap { SegmentName($0) }
        leftovers = segments.filter { $0.kind == .temporary }
        var sealed: [SealedSegment] = []
        for name in segments where name.kind == .sealed {
            sealed.append(try SealedSegment(name, on: disk))
        }
        var open: [OpenSegment] = []
        for name in segments where name.kind == .open {
            open.append(try OpenSegment(name, on: disk, .read))
        }
        try Self.checkForMissingActive(sealed, open)
        guard let active = open.popLast() else { return }
        try resolveTwins(&sealed, &open)
        let catalog = LogCatalog(
            format: FrameFormat(options, framing), sealed: sealed, ended: open, active: active)
        try Self.checkContinuity(of: catalog)
        self.catalog = catalog
        verdict = TailVerdict(active.scan, active.header, bootID: disk.bootID)
    }

    /// The error with which an opening refuses a log whose end is damaged.
    package var refusal: LogError? {
        guard case .damaged(let offset, let why) = verdict, let active = catalog?.active else {
            return nil
        }
        let last = active.scan.lastSequence
        if active.scan.isEndContradicted {
            return LogError(.chainBroken, why, active.name, at: offset, sequences: last...last)
        }
        return LogError(
            .corrupt, "the segment is damaged and \(why)", active.name, at: offset,
            sequences: last + 1...last + 1)
    }

    /// Decides which file counts if a segment is there both sealed and open. A crash leaves both
    /// between the creation of the sealed file and the removal of the open one, and so does a power
    /// cut that undoes the removal.
    ///
    /// For the newest sealed segment the open file counts, and is sealed again: if a sync of the
    /// directory failed, the name of the sealed file may be in the page cache only. For the others
    /// the open file is a leftover.
    private mutating func resolveTwins(
        _ sealed: inout [SealedSegment], _ open: inout [OpenSegment]
    ) throws(LogError) {
        for segment in sealed {
            let first = segment.name.firstSequence
            guard let index = open.firstIndex(where: { $0.name.firstSequence == first }) else {
                continue
            }
            let twin = open[index]
            guard segment.lastSequence == twin.scan.lastSequence,
                segment.chainHashAfter == twin.scan.lastChainHash
            else {
                let why = "the open and the sealed file of the segment differ"
                throw LogError(.chainBroken, why, twin.name)
            }
            if first == sealed.last?.name.firstSequence {
                sealed.removeLast()
            } else {
                open.remove(at: index)
                leftovers.append(twin.name)
            }
        }
    }

    /// A segment is sealed after its successor was created, so the successor must exist.
    private static func checkForMissingActive(
        _ sealed: [SealedSegment], _ open: [OpenSegment]
    ) throws(LogError) {
        guard let last = sealed.last,
            (open.last?.name.firstSequence ?? 0) <= last.name.firstSequence
        else { return }
        let first = last.lastSequence + 1
        let why = "the segment that follows the last sealed one is missing; restore it"
        throw LogError(
            .segmentMissing, why, SegmentName(first, .open), sequences: first...first)
    }

    private static func checkContinuity(of catalog: LogCatalog) throws(LogError) {
        let storeID = catalog.active.header.storeID
        var head = LogHead(sequence: 0, chainHash: ChainHash(beginning: storeID))
        for segment in catalog.sealed {
            try check(segment.name, segment.header, of: storeID, follows: head)
            head = LogHead(sequence: segment.lastSequence, chainHash: segment.chainHashAfter)
        }
        for segment in catalog.ended {
            try check(segment.name, segment.header, of: storeID, follows: head)
            head = segment.scan.head
            guard segment.scan.stop != .invalid else {
                let why = "the segment has a successor, so it was durable, and is damaged"
                let next = head.sequence + 1
                throw LogError(
                    .corrupt, why, segment.name, at: segment.scan.endOffset, sequences: next...next)
            }
        }
        try check(catalog.active.name, catalog.active.header, of: storeID, follows: head)
    }

    private static func check(
        _ name: SegmentName, _ header: SegmentHeader, of storeID: StoreID, follows head: LogHead
    ) throws(LogError) {
        typealias Offset = SegmentHeader.Offset
        guard header.storeID == storeID else {
            let why = "the segment belongs to another store"
            throw LogError(.foreignStore, why, name, at: Offset.storeID)
        }
        let next = head.sequence + 1
        if header.firstSequence > next {
            let why = "no segment holds these events; restore the file that does"
            let sequences = next...(header.firstSequence - 1)
            throw LogError(.segmentMissing, why, SegmentName(next, .sealed), sequences: sequences)
        }
        guard header.firstSequence == next else {
            let why = "the segment starts before its predecessor ends, at \(head.sequence)"
            throw LogError(.chainBroken, why, name, sequences: header.firstSequence...next)
        }
        guard header.chainHashBefore == head.chainHash else {
            let why = "the segment continues another history than its predecessor's"
            throw LogError(
                .chainBroken, why, name, at: Offset.chainHashBefore, sequences: next...next)
        }
    }
}
