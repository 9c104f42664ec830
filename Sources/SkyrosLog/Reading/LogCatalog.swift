import SkyrosDisk

/// The segments of a log at one moment, in order.
struct LogCatalog: Sendable {
    let format: FrameFormat
    /// What takes the place of the batches before the first; nil if there were none.
    var floor: LogFloor?
    var sealed: [SealedSegment] = []
    /// Segments that have ended and are not sealed yet.
    var ended: [OpenSegment] = []
    /// The segment that is being written.
    var active: OpenSegment

    var lastSequence: UInt64 { active.scan.lastSequence }
    var head: LogHead { active.scan.head }

    /// The first batch that the log holds, or will hold.
    var firstSequence: UInt64 { floor?.firstSequence ?? 1 }

    /// The store that the first batch of all was written for.
    var beginningID: StoreID { floor?.header.storeID ?? first.storeID }

    /// The chain hash before the first batch of all.
    var beginning: ChainHash { ChainHash(beginning: beginningID) }

    /// The store that most segments name; the segments of a fork's origin name another one.
    var prevailingStoreID: StoreID {
        StoreID.prevailing(in: headers) ?? active.header.storeID
    }

    /// The headers of all segments, in order.
    var headers: [SegmentHeader] {
        sealed.map(\.header) + (ended + [active]).map(\.header)
    }

    /// The header of the segment that begins with `sequence`; nil if none does.
    func header(beginning sequence: UInt64) -> SegmentHeader? {
        let open = (ended + [active]).lazy.map(\.header)
        return open.first { $0.firstSequence == sequence }
            ?? sealed.first { $0.header.firstSequence == sequence }?.header
    }

    /// The header of the first segment.
    private var first: SegmentHeader {
        sealed.first?.header ?? ended.first?.header ?? active.header
    }

    /// Reads some batches, `sequence` among them; nil if the log does not hold it.
    ///
    /// A segment that was merged meanwhile, perhaps by another process, is read from the file that
    /// has replaced it, of which `replaced` is notified.
    func chunk(
        containing sequence: UInt64, replaced: (SealedSegment) -> Void = { _ in }
    ) throws(LogError) -> LogChunk? {
        guard sequence >= firstSequence, sequence <= lastSequence else { return nil }
        if sequence >= active.header.firstSequence {
            return try active.chunk(containing: sequence, format)
        }
        if let segment = ended.last(where: { $0.header.firstSequence <= sequence }) {
            return try segment.chunk(containing: sequence, format)
        }
        let next = sealed.partitioningIndex { $0.header.firstSequence > sequence }
        guard next > 0 else { return nil }
        return try sealed[next - 1].chunk(containing: sequence, format, replaced: replaced)
    }

    /// The chain hash through a batch, or through the last one before the first; nil if the log
    /// holds neither. At the end of a segment, no file is read.
    func chainHash(through sequence: UInt64) throws(LogError) -> ChainHash? {
        if let next = header(beginning: sequence + 1) { return next.chainHashBefore }
        return try chunk(containing: sequence)?.chainHash(through: sequence)
    }

    /// Throws unless the log has everything that it had when `before` was read. What was pruned
    /// since is not compared.
    func check(continues before: LogCatalog) throws(LogError) {
        let last = before.head
        if beginning == before.beginning {
            if last.sequence + 1 < firstSequence { return }
            if try chainHash(through: last.sequence) == last.chainHash { return }
        }
        throw LogError(
            .otherHistory,
            "the log does not continue what was read of it, which ended at event "
                + "\(last.sequence): it was erased, restored or replaced; open it again")
    }

    /// Takes a merged segment instead of those that it holds.
    ///
    /// One that holds more than the sealed ones is left out: the batches after them are in files
    /// that are still open for reading.
    mutating func adopt(_ merged: SealedSegment) {
        let sources = sealed.indices.filter { merged.range.contains(sealed[$0].first) }
        guard let first = sources.first, let last = sources.last,
            sealed[first].first == merged.first, sealed[last].lastSequence == merged.lastSequence
        else { return }
        sealed.replaceSubrange(first...last, with: [merged])
    }

    /// Takes a floor instead of what is below it.
    mutating func adopt(_ floor: LogFloor) {
        guard floor.firstSequence > firstSequence else { return }
        sealed.removeAll { $0.first < floor.firstSequence }
        self.floor = floor
    }

    var statistics: LogStatistics {
        let open = ended + [active]
        var result = LogStatistics()
        result.segmentCount = sealed.count + open.count
        result.sealedSegmentCount = sealed.count
        let openBytes = open.reduce(0) { $0 + $1.scan.endOffset }
        result.floorBytes = floor?.byteCount ?? 0
        result.fileBytes = sealed.reduce(openBytes + result.floorBytes) { $0 + $1.byteCount }
        let headerBytes = open.reduce(0) { $0 + $1.header.byteCount }
        result.contentBytes = sealed.reduce(openBytes - headerBytes) {
            $0 + $1.contentByteCount
        }
        return result
    }
}

/// The size of a log.
package struct LogStatistics: Equatable, Sendable {
    package var segmentCount = 0
    package var sealedSegmentCount = 0
    /// Bytes in the segments' files and the floor, without preallocated space.
    package var fileBytes = 0
    /// Those of the floor.
    package var floorBytes = 0
    /// Bytes before compression.
    package var contentBytes = 0

    package init() {}
}

/// The end of a log.
package struct LogHead: Hashable, Sendable {
    /// The sequence of the last batch; 0 if there is none.
    package var sequence: UInt64
    /// The chain hash through that batch.
    package var chainHash: ChainHash

    package init(sequence: UInt64, chainHash: ChainHash) {
        self.sequence = sequence
        self.chainHash = chainHash
    }
}
