package import SkyrosDisk

/// A look at a log's files that changes nothing: what is there, whether it fits together, and
/// what an opening for writing would have to do.
///
/// The decision is made here, before anything is touched, so that an opening that is refused
/// leaves the disk as it was (promise P5).
package struct LogInspection: LogReader {
    private let options: LogOptions
    private let framing: PayloadFraming
    var catalog: LogCatalog?
    /// Files that a crash left and that hold nothing of their own.
    var leftovers: [SegmentName] = []
    var verdict: TailVerdict = .clean

    /// The store that the log belongs to; nil if there is no log yet.
    package var storeID: StoreID? { catalog?.active.header.storeID }

    /// Where the log will stand once it is open.
    package var head: LogHead {
        catalog?.head ?? LogHead(sequence: 0, chainHash: ChainHash(rawValue: 0))
    }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        try catalog?.chunk(
            containing: sequence, framing: framing,
            contentBytesMax: options.contentBytesMax)
    }

    package var statistics: LogStatistics? { catalog?.statistics }

    /// Looks at the log on `disk`.
    ///
    /// - Throws: `LogError` with `.io` if something cannot be read, `.corrupt`, `.chainBroken`
    ///   or `.segmentMissing` if segments are damaged or do not continue each other,
    ///   `.unsupportedFormat` if a newer version wrote them. The end of the active segment is
    ///   judged, not thrown: see `refusal`.
    package init(
        of disk: any Disk, _ options: LogOptions, framing: @escaping PayloadFraming
    ) throws(LogError) {
        self.options = options
        self.framing = framing
        let names = try onDisk { () throws(DiskError) in try disk.list(.events) }
        let segments = names.compactMap { SegmentName($0) }
        leftovers = segments.filter { $0.kind == .temporary }
        var sealed: [SealedSegment] = []
        for name in segments where name.kind == .sealed {
            sealed.append(try SealedSegment(name, on: disk))
        }
        var open: [OpenSegment] = []
        for name in segments where name.kind == .open {
            var segment = try OpenSegment(name, on: disk, .read)
            try segment.scanFurther()
            open.append(segment)
        }
        try Self.checkForMissingActive(sealed, open)
        guard let active = open.popLast() else { return }
        try resolveTwins(&sealed, &open)
        catalog = LogCatalog(sealed: sealed, ended: open, active: active)
        try checkContinuity()
        verdict = TailVerdict(active.scan, active.header, bootID: disk.bootID)
    }

    /// The error with which the log refuses to open, if its end is damaged.
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

    /// A crash between the birth of a sealed segment and the end of its open file leaves both,
    /// and so does one that takes back the removal of the open file.
    ///
    /// Of the newest sealed segment the open form counts, and is sealed again: it has been there
    /// for long, while the name of the sealed one may be known to the system's memory only, if a
    /// sync of the directory failed. Of the others the open form is a leftover.
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
                let why = "a segment stands beside its sealed form and they differ"
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

    /// The successor of a sealed segment is made before the segment is sealed, so it must exist.
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

    private func checkContinuity() throws(LogError) {
        guard let catalog else { return }
        var expected = LogHead(
            sequence: 0, chainHash: ChainHash(beginning: catalog.active.header.storeID))
        for segment in catalog.sealed {
            try Self.check(segment.name, segment.header, follows: expected, catalog)
            expected = LogHead(sequence: segment.lastSequence, chainHash: segment.chainHashAfter)
        }
        for segment in catalog.ended {
            try Self.check(segment.name, segment.header, follows: expected, catalog)
            guard segment.scan.stop != .invalid else {
                let why = "the segment has a successor, so it was durable, and is damaged"
                let next = segment.scan.lastSequence + 1
                throw LogError(
                    .corrupt, why, segment.name, at: segment.scan.endOffset, sequences: next...next)
            }
            expected = LogHead(
                sequence: segment.scan.lastSequence, chainHash: segment.scan.lastChainHash)
        }
        try Self.check(catalog.active.name, catalog.active.header, follows: expected, catalog)
    }

    private static func check(
        _ name: SegmentName, _ header: SegmentHeader, follows head: LogHead, _ catalog: LogCatalog
    ) throws(LogError) {
        guard header.storeID == catalog.active.header.storeID else {
            throw LogError(.foreignStore, "the segment belongs to another store", name, at: 16)
        }
        let next = head.sequence + 1
        if header.firstSequence > next {
            let why = "no segment holds these events; restore the file that does"
            let sequences = next...(header.firstSequence - 1)
            throw LogError(.segmentMissing, why, SegmentName(next, .sealed), sequences: sequences)
        }
        guard header.firstSequence == next else {
            let why = "the segment begins before its predecessor ends, at \(head.sequence)"
            throw LogError(.chainBroken, why, name, sequences: header.firstSequence...next)
        }
        guard header.chainHashBefore == head.chainHash else {
            let why = "the segment continues another history than its predecessor's"
            throw LogError(.chainBroken, why, name, at: 40, sequences: next...next)
        }
    }
}
