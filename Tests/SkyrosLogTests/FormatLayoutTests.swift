import Testing

@testable import SkyrosLog

@Suite struct `The format of the log` {
    /// A field: its offset and its size.
    private typealias Field = (offset: Int, byteCount: Int)

    /// Whether each field starts where the one before ends, and the last one ends at `end`.
    private func isContiguous(_ fields: [Field], end: Int) -> Bool {
        zip(fields, fields.dropFirst() + [(end, 0)]).allSatisfy { $0.0 + $0.1 == $1.0 }
            && fields.first?.offset == 0
    }

    @Test func `has no gap and no overlap between the fields of a segment's header`() {
        typealias Offset = SegmentHeader.Offset
        let fields: [Field] = [
            (Offset.magic, SegmentHeader.magic.count), (Offset.version, 2),
            (Offset.oldestReader, 2), (Offset.byteCount, 4), (Offset.storeID, StoreID.byteCount),
            (Offset.firstSequence, 8), (Offset.chainHashBefore, 8), (Offset.timeBefore, 8),
            (Offset.salt, 8), (Offset.unsyncedBytesMax, 8), (Offset.requiredFeatures, 4),
            (Offset.optionalFeatures, 4), (Offset.familyID, 8),
            (Offset.headerHash, 8),
        ]
        #expect(isContiguous(fields, end: SegmentHeader.fixedByteCount))
        #expect(SegmentHeader.fixedByteCount % Block.alignment == 0)
    }

    @Test func `has no gap and no overlap between the fields of a block's header`() {
        typealias Offset = Block.Offset
        let fields: [Field] = [
            (Offset.mark, 1), (Offset.kind, 1), (Offset.flags, 2), (Offset.payloadByteCount, 4),
            (Offset.sequence, 8), (Offset.payloadHash, 8), (Offset.chainHash, 8),
            (Offset.durableByteCount, 8), (Offset.headerHash, 8),
        ]
        #expect(isContiguous(fields, end: Offset.payload))
        #expect(Offset.payload == Block.headerByteCount)
        #expect(Block.headerByteCount % Block.alignment == 0)
    }

    @Test func `has no gap and no overlap between the fields of index and seek table`() {
        typealias Index = SegmentIndex.Offset
        let index: [Field] = [
            (Index.batchCount, 8), (Index.chainHashAfter, 8), (Index.timeAfter, 8),
            (Index.frameCount, 4), (Index.reserved, 4),
        ]
        #expect(isContiguous(index, end: Index.frames))
        typealias Frame = SegmentIndex.FrameOffset
        #expect(
            isContiguous([(Frame.firstSequence, 8), (Frame.chainHashBefore, 8)], end: Frame.end))
        typealias Entry = SeekTable.EntryOffset
        let entry: [Field] = [
            (Entry.compressedByteCount, 4), (Entry.contentByteCount, 4), (Entry.contentHash, 4),
        ]
        #expect(isContiguous(entry, end: Entry.end))
        typealias Footer = SeekTable.FooterOffset
        let footer: [Field] = [(Footer.entryCount, 4), (Footer.descriptor, 1), (Footer.magic, 4)]
        #expect(isContiguous(footer, end: Footer.end))
        typealias Skippable = SkippableFrame.Offset
        let skippable: [Field] = [(Skippable.magic, 4), (Skippable.contentByteCount, 4)]
        #expect(isContiguous(skippable, end: Skippable.content))
    }

    @Test func `has fields wide enough for all limits`() {
        let options = LogOptions()
        #expect(options.batchBytesMax <= LogOptions.batchBytesLimit)
        #expect(options.batchBytesMax < options.unsyncedBytesMax)
        #expect(options.deferredBytesMax < options.unsyncedBytesMax)
        #expect(options.frameBytes < options.segmentBytesMax)
        // Blocks and seek tables have 32 bits for a size.
        #expect(UInt32(exactly: options.contentBytesMax) != nil)
        #expect(SegmentScan.waypointDistanceBytes < options.segmentBytesMax)
    }
}
