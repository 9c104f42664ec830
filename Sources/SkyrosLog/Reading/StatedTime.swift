/// The time of a batch as a segment's header or index states it, and where.
package struct StatedTime: Sendable {
    /// The segment's file name.
    package let segment: String
    /// Bytes from the start of that file.
    package let offset: Int
    /// The batch; 0 for the beginning of the log.
    package let sequence: UInt64
    /// Microseconds since 1970.
    package let microseconds: Int64
}

extension SegmentHeader {
    /// The time before the segment.
    ///
    /// - Parameter start: the offset of the header in the file.
    func statedTime(in segment: SegmentName, from start: Int) -> StatedTime {
        StatedTime(
            segment: segment.description, offset: start + Offset.timeBefore,
            sequence: firstSequence - 1, microseconds: timeBefore)
    }
}

extension OpenSegment {
    var statedTimes: [StatedTime] { [header.statedTime(in: name, from: 0)] }
}

extension SealedSegment {
    var statedTimes: [StatedTime] {
        [
            header.statedTime(in: name, from: SkippableFrame.headerByteCount),
            StatedTime(
                segment: name.description,
                offset: indexOffset + SkippableFrame.headerByteCount
                    + SegmentIndex.Offset.timeAfter,
                sequence: lastSequence, microseconds: index.timeAfter),
        ]
    }
}

extension LogCatalog {
    /// All times that the segments' headers and indexes state.
    var statedTimes: [StatedTime] {
        sealed.flatMap(\.statedTimes) + (ended + [active]).flatMap(\.statedTimes)
    }
}
