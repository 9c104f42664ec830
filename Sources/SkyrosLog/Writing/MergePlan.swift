/// Decides which small sealed segments are merged next. A pure function of their sizes and times.
///
/// Sizes fall into classes, each up to eight times the one before. Above the last class a segment
/// is *final* and never changes. A *run* of a class consists of neighbours of that class and lower
/// ones. Its segments are merged into one
///
/// - once the first of them reach the next class together: these;
/// - when a larger segment follows, after which no segment joins the run: all of them;
/// - when the next segment would make it span more than `LogOptions.timeSpanMax`: all of them, too.
///
/// Each of them leaves no neighbours in the class that may be joined, so it happens to a byte once
/// in each class at most. With three classes a byte is written four times at most, sealing
/// included. Without a bound of time there is at most one segment between two final ones that is
/// not final.
///
/// Source: docs/decisions/0020-small-segments-are-merged.md.
struct MergePlan {
    struct Segment {
        /// The size of the batches, uncompressed.
        var byteCount: Int
        /// From the batch before the first to the last.
        var times = TimeSpan(from: 0, through: 0)
        /// Whether it may be merged with others at all.
        var isMergeable = true
        /// Whether it may be merged with the segment before it.
        var continuesPredecessor = true
    }

    /// The size of the first class, in sizes of the smallest segment; and of each further class, in
    /// sizes of the one before.
    private static let growth = 8
    /// The content from which on any segment is final: half of a full one of the default size.
    private static let finalBytesMax = 8 << 20

    /// The sizes that each class stays below, in ascending order. The last one makes a segment
    /// final.
    let limits: [Int]
    /// What a merged segment may span, in microseconds; nil for any time.
    private let timeSpanMax: Int64?

    /// A full segment holds less content than its file, which has 48 bytes more for each batch. So
    /// half of a full segment is final; otherwise each full one would be written twice.
    init(_ options: LogOptions) {
        let finalBytes = max(1, min(options.segmentBytesMax / 2, Self.finalBytesMax))
        var limits: [Int] = []
        var limit = max(1, min(options.sealThresholdBytes, finalBytes)) * Self.growth
        while limit < finalBytes {
            limits.append(limit)
            limit *= Self.growth
        }
        self.limits = limits + [finalBytes]
        timeSpanMax = options.timeSpanMax
    }

    /// The segments to merge into one; nil if none are due. The largest run comes first, so that
    /// its segments are not written for a smaller one before.
    func next(in segments: [Segment]) -> Range<Int>? {
        for limit in limits.reversed() {
            if let run = next(in: segments, below: limit) { return run }
        }
        return nil
    }

    /// The same, for the class below `limit`.
    private func next(in segments: [Segment], below limit: Int) -> Range<Int>? {
        var start = 0
        var byteCount = 0
        for (index, segment) in segments.enumerated() {
            let isSmall = segment.isMergeable && segment.byteCount < limit
            let joins = segment.continuesPredecessor && mayJoin(segments[start], through: segment)
            if !isSmall || !joins {
                // The run before has ended.
                if index - start > 1 { return start..<index }
                start = index
                byteCount = 0
            }
            guard isSmall else {
                start = index + 1
                continue
            }
            byteCount += segment.byteCount
            if byteCount >= limit { return start..<index + 1 }
        }
        return nil
    }

    /// Whether a merge from `first` to `last` spans no more than it may. The first segment of a log
    /// begins at the time 0, so with a bound it stays alone: a merge would hide when it begins.
    private func mayJoin(_ first: Segment, through last: Segment) -> Bool {
        first.times.joined(with: last.times).fits(timeSpanMax)
    }
}

extension MergePlan {
    /// The sealed segments to merge into one, except for those named; nil if none are due.
    func next(in segments: [SealedSegment], without excluded: Set<SegmentName>) -> Range<Int>? {
        var predecessor: SegmentHeader?
        return next(
            in: segments.map { segment in
                defer { predecessor = segment.header }
                return Segment(
                    byteCount: segment.contentByteCount,
                    times: TimeSpan(
                        from: segment.header.timeBefore, through: segment.index.timeAfter),
                    isMergeable: segment.isMergeable && !excluded.contains(segment.name),
                    continuesPredecessor: predecessor.map { segment.header.isMergeable(with: $0) }
                        ?? true)
            })
    }
}

extension SegmentHeader {
    /// Whether the segment is of the same store, family and version as `other`.
    fileprivate func isMergeable(with other: SegmentHeader) -> Bool {
        storeID == other.storeID && familyID == other.familyID
            && writtenVersion == other.writtenVersion
    }
}
