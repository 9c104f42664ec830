/// A scan of an open segment's blocks that continues after damage. A pure function of the bytes.
///
/// `SegmentScan` ends at the first byte that does not parse, because history does. This scan finds
/// what can still be read.
struct LenientBlockScan {
    /// Bytes that are not the next block.
    struct Gap: Equatable {
        let offset: Int
        /// The batches in the gap; nil if there were none.
        let sequences: ClosedRange<UInt64>?
        /// Whether their number is unknown, because no block follows the gap.
        var isOpenEnded = false
        /// Whether the gap is empty, but the next block belongs to another history than the batch
        /// before it. One of the two is not what was written.
        var isContradiction = false
    }

    private(set) var extents: [BatchExtent] = []
    private(set) var gaps: [Gap] = []
    /// The largest position that some block proves durable.
    private(set) var durableByteCount = 0

    /// The first block that only a newer version understands.
    private(set) var unsupported: SegmentScan.Unsupported?

    /// The last batch; nil if the end is damaged.
    var lastSequence: UInt64? { gaps.last?.isOpenEnded ?? false ? nil : sequence }

    /// The number of batches that can be read from `offset` on.
    func batchCount(from offset: Int) -> Int {
        extents.filter { $0.offset >= offset }.reduce(0) { count, extent in
            count + Int(clamping: extent.sequences.upperBound - extent.sequences.lowerBound) + 1
        }
    }

    private let name: SegmentName
    private let salt: UInt64
    /// The last batch that was read or is known to have been there, and the chain hash through it.
    private var sequence: UInt64
    private var chainHash: ChainHash?
    private var gapOffset: Int?
    /// The last batch that a damaged block in the gap names.
    private var sequenceInGap: UInt64?
    /// The start of the current extent.
    private var start: Start?
    /// The last batch that was read.
    private var lastBatch: Start?

    private struct Start {
        let offset: Int
        let sequence: UInt64
        let chainHashBefore: ChainHash?
    }

    /// The size of an extent, about.
    private static let extentBytes = 256 << 10

    /// Scans `bytes`, the whole file.
    ///
    /// - Parameters:
    ///   - headerByteCount: where the blocks begin.
    ///   - chainHashBefore: nil if the header is damaged; then that of the first block.
    init(
        over bytes: UnsafeRawBufferPointer, of name: SegmentName, salt: UInt64,
        headerByteCount: Int, firstSequence: UInt64, chainHashBefore: ChainHash?
    ) {
        self.name = name
        self.salt = salt
        sequence = firstSequence - 1
        chainHash = chainHashBefore
        var offset = headerByteCount
        while offset + Block.headerByteCount <= bytes.count {
            offset += step(bytes, at: offset)
        }
        endExtent(at: min(gapOffset ?? offset, bytes.count))
        endLastGap(bytes, from: gapOffset ?? offset)
    }

    /// Reads at one offset; returns how far to advance.
    private mutating func step(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        guard let header = Block(headerIn: bytes, at: offset, salt: salt),
            header.byteCount <= bytes.count - offset
        else {
            startGap(at: offset)
            return Block.alignment
        }
        if unsupported == nil, let why = header.refusal {
            unsupported = SegmentScan.Unsupported(offset: offset, why: why)
        }
        durableByteCount = max(durableByteCount, header.durableByteCount)
        guard let block = Block(wholeIn: bytes, at: offset, salt: salt), isLater(block) else {
            startGap(at: offset)
            if isLater(header) { sequenceInGap = header.sequence }
            return header.byteCount
        }
        if !follows(block) {
            startGap(at: offset)
            endGap(before: block)
        } else if gapOffset != nil {
            endGap(before: block)
        }
        take(block, at: offset)
        return block.byteCount
    }

    /// Whether the block's sequence may come after what was read: sequences only grow.
    private func isLater(_ block: Block) -> Bool {
        guard block.sequence < .max else { return false }
        return block.kind == .batch ? block.sequence > sequence : block.sequence >= sequence
    }

    private func follows(_ block: Block) -> Bool {
        guard let chainHash else { return block.kind != .batch && block.sequence == sequence }
        return block.kind == .batch
            ? block.sequence == sequence + 1
                && block.chainHash == chainHash.advanced(by: block.payloadHash)
            : block.sequence == sequence && block.chainHash == chainHash
    }

    private mutating func take(_ block: Block, at offset: Int) {
        if block.kind == .batch {
            lastBatch = Start(offset: offset, sequence: block.sequence, chainHashBefore: chainHash)
            start = start ?? lastBatch
        }
        sequence = block.sequence
        chainHash = block.chainHash
        let end = offset + block.byteCount
        if let start, end - start.offset >= Self.extentBytes { endExtent(at: end) }
    }

    private mutating func startGap(at offset: Int) {
        guard gapOffset == nil else { return }
        endExtent(at: offset)
        gapOffset = offset
    }

    /// Ends the gap. The sequence of the block after it shows which batches were in it.
    private mutating func endGap(before block: Block) {
        guard let offset = gapOffset else { return }
        let last = block.kind == .batch ? block.sequence - 1 : block.sequence
        let lost = last > sequence ? sequence + 1...last : nil
        if lost == nil, chainHash != nil, !follows(block), let lastBatch,
            lastBatch.sequence == sequence
        {
            let doubtful = lastBatch.sequence...block.sequence
            gaps.append(Gap(offset: offset, sequences: doubtful, isContradiction: true))
            split(before: lastBatch)
        } else {
            gaps.append(Gap(offset: offset, sequences: lost))
        }
        if !follows(block) {
            sequence = last
            // A mark contains the chain hash before the next batch, a batch does not.
            chainHash = block.kind == .batch ? nil : block.chainHash
        }
        gapOffset = nil
        sequenceInGap = nil
    }

    private mutating func endExtent(at offset: Int) {
        guard let start, let chainHash else { return }
        extents.append(extent(from: start, to: offset, through: sequence, chainHash))
        self.start = nil
    }

    private func extent(
        from start: Start, to end: Int, through last: UInt64, _ chainHashAfter: ChainHash
    ) -> BatchExtent {
        BatchExtent(
            segment: name, form: .blocks(salt: salt), offset: start.offset,
            byteCount: end - start.offset, sequences: start.sequence...last,
            chainHashBefore: start.chainHashBefore, chainHashAfter: chainHashAfter)
    }

    /// Splits the last extent before its last batch, which is in doubt.
    private mutating func split(before batch: Start) {
        guard let whole = extents.last, whole.sequences.lowerBound < batch.sequence,
            let chainHash = batch.chainHashBefore
        else { return }
        let first = Start(
            offset: whole.offset, sequence: whole.sequences.lowerBound,
            chainHashBefore: whole.chainHashBefore)
        let end = whole.offset + whole.byteCount
        extents[extents.count - 1] = extent(
            from: first, to: batch.offset, through: batch.sequence - 1, chainHash)
        extents.append(
            extent(from: batch, to: end, through: batch.sequence, whole.chainHashAfter))
    }

    /// Zeros at the end are preallocated space.
    private mutating func endLastGap(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
        guard offset < bytes.count, bytes.lastNonzero(from: offset) != nil else { return }
        let last = max(sequenceInGap ?? 0, sequence + 1)
        gaps.append(Gap(offset: offset, sequences: sequence + 1...last, isOpenEnded: true))
    }
}
