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
    /// The same, but not all of their bytes can be read; an opening quarantines them.
    private(set) var unreadable: [SegmentName] = []
    /// The sealed segments that hold the batches of those files.
    private(set) var covers: Set<SegmentName> = []
    private(set) var verdict: TailVerdict = .clean
    /// The temporary file of the active segment, if that has no other name yet.
    private(set) var unnamed: SegmentName?
    /// Whether there are files that the floor has replaced.
    private(set) var isPruningUnfinished = false
    /// A floor without a log.
    private(set) var lonelyFloor: LogFloor?

    /// The store that the log belongs to; nil if there is no log yet.
    package var storeID: StoreID? { catalog?.active.header.storeID }

    /// What takes the place of the batches that the log does not keep.
    package var floor: LogFloor? { catalog?.floor }

    /// The chain hash before the first batch of all; nil if there is no log yet.
    package var beginning: ChainHash? { catalog?.beginning }

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
        var known = KnownSegments()
        try self.init(of: disk, options, framing: framing, &known)
    }

    /// The same for a log that was inspected before.
    init(
        of disk: any Disk, _ options: LogOptions, framing: @escaping PayloadFraming,
        _ known: inout KnownSegments
    ) throws(LogError) {
        let floors = try FloorResolution(SegmentName.list(on: disk), on: disk)
        do throws(LogError) {
            try inspect(floors, on: disk, options, FrameFormat(options, framing), &known)
        } catch {
            // A floor that cannot be read is why the batches below it are missing.
            guard error.code == .segmentMissing, let damage = floors.damage else { throw error }
            throw damage.error
        }
    }

    private mutating func inspect(
        _ floors: FloorResolution, on disk: any Disk, _ options: LogOptions,
        _ format: FrameFormat, _ known: inout KnownSegments
    ) throws(LogError) {
        let resolution = try SegmentResolution(floors.names, on: disk, format, &known)
        leftovers = resolution.leftovers + floors.replaced
        unreadable = resolution.unreadable + floors.foreign
        covers = resolution.covers
        isPruningUnfinished = !floors.replaced.isEmpty || !floors.foreign.isEmpty
        var open = resolution.open
        if let next = try Self.unnamedActive(resolution.sealed, open, on: disk) {
            let name = SegmentName(next.name.firstSequence, .temporary)
            leftovers.removeAll { $0 == name }
            unnamed = name
            open.append(next)
        }
        guard let active = open.popLast() else {
            lonelyFloor = floors.unfollowed.first
            if let damage = floors.damage { throw damage.error }
            return
        }
        let catalog = LogCatalog(
            format: format, floor: floors.floor, sealed: resolution.sealed, ended: open,
            active: active)
        try Self.checkContinuity(of: catalog)
        for floor in floors.unfollowed {
            try Self.check(floor, isIn: catalog)
            leftovers.append(floor.name)
        }
        if let damage = floors.damage {
            // The log may have lost what came before it.
            guard damage.name.firstSequence <= catalog.lastSequence + 1 else { throw damage.error }
            unreadable.append(damage.name)
        }
        self.catalog = catalog
        // A medium that was away is as good as a reboot, which only the app knows.
        verdict = TailVerdict(
            active.scan, active.header, on: disk, isRebooted: options.acceptsLostTail)
    }

    /// The error with which an opening refuses a log whose end is damaged.
    package var refusal: LogError? {
        guard let active = catalog?.active else {
            return lonelyFloor.map { Self.missing(after: $0) }
        }
        switch verdict {
        case .damaged(let offset, let why):
            return active.damage("the segment is damaged and \(why)", at: offset)
        case .incompleteCopy:
            let next = active.scan.lastSequence + 1
            return LogError(
                .segmentMissing, TailVerdict.incompleteCopyText, SegmentName(next, .open),
                sequences: next...next)
        case .clean, .unclean, .torn: return nil
        }
    }

    /// Throws unless the log has the batches that a floor has replaced.
    private static func check(
        _ floor: LogFloor, isIn catalog: LogCatalog
    ) throws(LogError) {
        let head = floor.head
        guard head.sequence <= catalog.lastSequence else { throw missing(after: floor) }
        guard head.sequence >= catalog.firstSequence else { return }
        let chunk = try catalog.chunk(containing: head.sequence)
        guard chunk?.chainHash(through: head.sequence) == head.chainHash else {
            throw LogError(
                .chainBroken, "the floor is of another history than the segments", floor.name,
                sequences: head.sequence...head.sequence)
        }
    }

    /// The error of a floor with nothing after it.
    private static func missing(after floor: LogFloor) -> LogError {
        let first = floor.firstSequence
        return LogError(
            .segmentMissing, "no segment holds the events after the floor; restore the file",
            SegmentName(first, .open), sequences: first...first)
    }

    /// A segment is sealed after its successor was created, so the successor must exist. It is
    /// returned if it has only a temporary name.
    private static func unnamedActive(
        _ sealed: [SealedSegment], _ open: [OpenSegment], on disk: any Disk
    ) throws(LogError) -> OpenSegment? {
        guard let last = sealed.last,
            (open.last?.name.firstSequence ?? 0) <= last.name.firstSequence
        else { return nil }
        if let next = try UnnamedSegment.successor(of: last.head, on: disk) { return next }
        let first = last.lastSequence + 1
        let why = "the segment that follows the last sealed one is missing; restore it"
        throw LogError(
            .segmentMissing, why, SegmentName(first, .open), sequences: first...first)
    }

    private static func checkContinuity(of catalog: LogCatalog) throws(LogError) {
        var border = Border(catalog)
        for segment in catalog.sealed {
            try border.check(segment.name, segment.header)
            border.head = LogHead(sequence: segment.lastSequence, chainHash: segment.chainHashAfter)
        }
        for segment in catalog.ended {
            try border.check(segment.name, segment.header)
            border.head = segment.scan.head
            guard segment.scan.stop != .invalid else {
                let why = "the segment has a successor, so it was durable, and is damaged"
                throw segment.damage(why, at: segment.scan.endOffset)
            }
        }
        try border.check(catalog.active.name, catalog.active.header)
    }
}

extension OpenSegment {
    /// The error of a segment that is damaged at its scan's end: it names the first batch that is
    /// not proven.
    fileprivate func damage(_ why: String, at offset: Int) -> LogError {
        let last = scan.lastSequence
        // Of two blocks that contradict each other, either may be the forged one.
        let isBroken =
            scan.contradiction == .mark || (scan.contradiction != nil && hasBatches)
        let first = isBroken ? last : last + 1
        return LogError(
            isBroken ? .chainBroken : .corrupt, why, name, at: offset, sequences: first...first)
    }
}

/// The place between two segments, where the second must continue the first.
///
/// A segment may have another store's id: a fork continues a copy of its origin. The chain hash
/// shows whether it does.
private struct Border {
    /// The store that most segments name.
    let storeID: StoreID
    /// The end of the last segment.
    var head: LogHead
    /// The last segment; nil before the first.
    private var last: (name: SegmentName, storeID: StoreID)?

    init(_ catalog: LogCatalog) {
        storeID = catalog.prevailingStoreID
        head = catalog.floor?.head ?? LogHead(sequence: 0, chainHash: catalog.beginning)
    }

    /// Checks that a segment with this header continues the last one, and takes it as the last.
    mutating func check(_ name: SegmentName, _ header: SegmentHeader) throws(LogError) {
        typealias Offset = SegmentHeader.Offset
        defer { last = (name, header.storeID) }
        let next = head.sequence + 1
        if header.firstSequence > next {
            let why = "no segment holds these events; restore the file that does"
            let sequences = next...(header.firstSequence - 1)
            throw LogError(.segmentMissing, why, SegmentName(next, .sealed), sequences: sequences)
        }
        guard header.firstSequence == next else {
            let why = "the segment starts before its predecessor ends, at \(head.sequence)"
            throw LogError(
                .chainBroken, why, name, at: name.headerOffset + Offset.firstSequence,
                sequences: header.firstSequence...next)
        }
        guard header.chainHashBefore == head.chainHash else {
            if header.storeID != last?.storeID ?? storeID {
                let foreign = header.storeID == storeID ? last?.name ?? name : name
                let why = "the segment belongs to another store"
                throw LogError(
                    .foreignStore, why, foreign, at: foreign.headerOffset + Offset.storeID)
            }
            let why = "the segment continues another history than its predecessor's"
            throw LogError(
                .chainBroken, why, name, at: name.headerOffset + Offset.chainHashBefore,
                sequences: next...next)
        }
    }
}
