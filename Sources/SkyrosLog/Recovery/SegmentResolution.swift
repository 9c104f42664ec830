import SkyrosDisk

/// Decides which of a log's files count where several hold the same batches. Changes nothing.
///
/// A crash between the creation of a sealed file and the removal of its sources leaves both, and so
/// does a power cut that undoes a removal. Restored and copied directories hold files of different
/// moments. The rule is one for all of them: a file counts unless another one is proven to hold
/// everything in it. A file is *proven* if its chain hashes continue those of the other and all of
/// its batches can be read.
///
/// The first rule that applies decides:
///
/// 1. The newest sealed segment and its open file, equal and with a successor: the open one counts,
///    and is sealed again. A failed sync may have left the sealed name in the page cache only.
/// 2. A proven sealed segment and another file within its range: the sealed one.
/// 3. A sealed segment, and a longer open file that continues it: the open one.
/// 4. A damaged sealed segment, and its open file with a successor that continues it: the open one.
/// 5. Anything else is an error: `.chainBroken` with the first batch that differs, or the damage.
struct SegmentResolution {
    private(set) var sealed: [SealedSegment] = []
    private(set) var open: [OpenSegment] = []
    /// Files whose batches others hold.
    private(set) var leftovers: [SegmentName] = []
    /// The same, but not all of their bytes can be read.
    private(set) var unreadable: [SegmentName] = []
    /// The sealed segments that hold the batches of leftovers. Their names may be in the page cache
    /// only.
    private(set) var covers: Set<SegmentName> = []

    private let format: FrameFormat
    /// The damage of files that cannot be opened.
    private var failures: [(name: SegmentName, error: LogError)] = []

    /// - Parameter known: sealed segments that were read before; the others are added.
    /// - Throws: `LogError` if a file cannot be read, or files contradict each other.
    init(
        _ names: [SegmentName], on disk: any Disk, _ format: FrameFormat,
        _ known: inout KnownSegments
    ) throws(LogError) {
        self.format = format
        leftovers = names.filter { $0.kind == .temporary }
        // First, because a writer removes them when they are sealed. An open one stays readable.
        for name in names where name.kind == .open {
            do throws(LogError) {
                open.append(try OpenSegment(name, on: disk, .read))
            } catch {
                try note(error, name)
            }
        }
        for name in names where name.kind == .sealed {
            do throws(LogError) {
                sealed.append(try known.segment(name, on: disk))
            } catch {
                try note(error, name)
            }
        }
        failures.sort { $0.name.firstSequence < $1.name.firstSequence }
        try dropCoveredSealed()
        try resolveTwins()
        try resolveFailures()
    }

    /// Damage counts only if no other file holds the batches.
    private mutating func note(_ error: LogError, _ name: SegmentName) throws(LogError) {
        guard error.isDamage else { throw error }
        failures.append((name, error))
    }

    /// Drops sealed segments that a merged one holds.
    private mutating func dropCoveredSealed() throws(LogError) {
        var kept: [SealedSegment] = []
        for segment in sealed {
            if let cover = kept.last,
                try cover.holds(segment.header, through: segment.head, format)
            {
                try prove(cover)
                leftovers.append(segment.name)
            } else {
                kept.append(segment)
            }
        }
        sealed = kept
    }

    /// Decides between open files and sealed ones of the same batches.
    private mutating func resolveTwins() throws(LogError) {
        let newest = sealed.last?.name
        for twin in open {
            let first = twin.name.firstSequence
            guard let index = sealed.lastIndex(where: { $0.range.contains(first) }) else {
                continue
            }
            let segment = sealed[index]
            let isSame = twin.scan.head == segment.head && first == segment.first
            let hasSuccessor = open.contains { $0.name.firstSequence > segment.lastSequence }
            if isSame, segment.name == newest, twin.scan.stop != .invalid, hasSuccessor {
                sealed.remove(at: index)
            } else if try segment.holds(twin.header, through: twin.scan.head, format) {
                try prove(segment)
                drop(twin)
            } else if try twin.continues(segment, format) {
                sealed.remove(at: index)
            } else {
                throw try difference(of: twin, from: segment)
            }
        }
    }

    /// Reads every batch of a segment that holds those of other files, once.
    private mutating func prove(_ cover: SealedSegment) throws(LogError) {
        guard !covers.contains(cover.name) else { return }
        try cover.verify(format)
        covers.insert(cover.name)
    }

    private mutating func drop(_ twin: OpenSegment) {
        open.removeAll { $0.name == twin.name }
        if twin.scan.stop == .invalid {
            unreadable.append(twin.name)
        } else {
            leftovers.append(twin.name)
        }
    }

    private mutating func resolveFailures() throws(LogError) {
        for (name, error) in failures {
            if let cover = sealed.last(where: { $0.range.contains(name.firstSequence) }) {
                try prove(cover)
            } else {
                guard name.kind == .sealed,
                    let twin = open.first(where: { $0.name.firstSequence == name.firstSequence }),
                    isProvenBySuccessor(twin)
                else { throw error }
            }
            unreadable.append(name)
        }
    }

    /// Whether a segment continues exactly where this one ends. One without batches ends where it
    /// begins itself.
    private func isProvenBySuccessor(_ twin: OpenSegment) -> Bool {
        guard twin.hasBatches else { return false }
        return (open.map(\.header) + sealed.map(\.header)).contains { header in
            header.storeID == twin.header.storeID
                && header.firstSequence == twin.scan.lastSequence + 1
                && header.chainHashBefore == twin.scan.lastChainHash
        }
    }

    private func difference(
        of twin: OpenSegment, from segment: SealedSegment
    ) throws(LogError) -> LogError {
        let last = max(twin.scan.lastSequence, segment.lastSequence)
        var first = twin.name.firstSequence
        while first <= min(twin.scan.lastSequence, segment.lastSequence),
            twin.header.storeID == segment.header.storeID
        {
            let own = try twin.chunk(containing: first, format).chainHashes(from: first)
            let other = try segment.chunk(containing: first, format).chainHashes(from: first)
            let same = zip(own, other).prefix { $0 == $1 }.count
            first += UInt64(same)
            if same < min(own.count, other.count) { break }
        }
        let why = "the open file and \(segment.name) hold different events from \(first) on"
        return LogError(
            .chainBroken, why, twin.name, sequences: first...max(first, last))
    }
}

extension SealedSegment {
    var first: UInt64 { header.firstSequence }
    var range: ClosedRange<UInt64> { header.firstSequence...lastSequence }
    var head: LogHead { LogHead(sequence: lastSequence, chainHash: chainHashAfter) }

    /// Whether the batches from the first one of `header` through `end` are in this segment, as the
    /// chain hashes show.
    func holds(
        _ header: SegmentHeader, through end: LogHead, _ format: FrameFormat
    ) throws(LogError) -> Bool {
        guard header.storeID == self.header.storeID, header.firstSequence >= first,
            end.sequence <= lastSequence, end.sequence + 1 >= header.firstSequence
        else { return false }
        let before = try chainHash(through: header.firstSequence - 1, format)
        let after = try chainHash(through: end.sequence, format)
        return before == header.chainHashBefore && after == end.chainHash
    }

    /// The chain hash through a batch of this segment, or through the one before its first.
    func chainHash(
        through sequence: UInt64, _ format: FrameFormat
    ) throws(LogError) -> ChainHash {
        if sequence == lastSequence { return chainHashAfter }
        if let frame = index.frames.last(where: { $0.firstSequence <= sequence + 1 }),
            frame.firstSequence == sequence + 1
        {
            return frame.chainHashBefore
        }
        return try chunk(containing: sequence, format).chainHash(through: sequence)
    }

    /// Reads every batch.
    ///
    /// - Throws: `LogError` with the first frame that is not what was written.
    func verify(_ format: FrameFormat) throws(LogError) {
        for frame in index.frames { _ = try chunk(containing: frame.firstSequence, format) }
    }
}

extension OpenSegment {
    /// Whether this file begins with the batches of `segment`, and holds more.
    fileprivate func continues(
        _ segment: SealedSegment, _ format: FrameFormat
    ) throws(LogError) -> Bool {
        guard header.storeID == segment.header.storeID, header.firstSequence == segment.first,
            header.chainHashBefore == segment.header.chainHashBefore,
            scan.lastSequence > segment.lastSequence
        else { return false }
        let chunk = try chunk(containing: segment.lastSequence, format)
        return chunk.chainHash(through: segment.lastSequence) == segment.chainHashAfter
    }
}

extension LogChunk {
    /// The chain hashes through the batches from `sequence` on.
    func chainHashes(from sequence: UInt64) -> [ChainHash] {
        var hashes: [ChainHash] = []
        var chainHash = chainHashBefore
        _ = forEach(from: firstSequence) { own, batch in
            chainHash = chainHash.advanced(by: XXH64.hash(batch))
            if own >= sequence { hashes.append(chainHash) }
            return true
        }
        return hashes
    }

    /// The chain hash through a batch of the chunk.
    package func chainHash(through sequence: UInt64) -> ChainHash {
        var chainHash = chainHashBefore
        _ = forEach(from: firstSequence) { own, batch in
            guard own <= sequence else { return false }
            chainHash = chainHash.advanced(by: XXH64.hash(batch))
            return true
        }
        return chainHash
    }
}
