/// A pass over the blocks of an open segment that goes on behind what is damaged.
///
/// `SegmentScan` ends at the first byte that does not parse, because history does. This one looks
/// for what can still be read. A pure function of the bytes.
struct LenientBlockScan {
    /// Bytes that are no block in their place.
    struct Gap: Equatable {
        let offset: Int
        /// The batches that stood there; nil if there were none.
        let sequences: ClosedRange<UInt64>?
        /// Whether nothing follows that tells how many they were.
        var isOpenEnded = false
        /// Whether nothing stood there, and the block that follows belongs to another history than
        /// the batch before it: one of them is not what was written.
        var isContradiction = false
    }

    private(set) var stretches: [BatchExtent] = []
    private(set) var gaps: [Gap] = []
    /// The largest position that some block proves durable.
    private(set) var durableByteCount = 0

    /// The last batch; nil if nobody knows, because the end is damaged.
    var lastSequence: UInt64? { gaps.last?.isOpenEnded ?? false ? nil : sequence }

    private let name: SegmentName
    private let salt: UInt64
    /// The last batch that was passed or is known to have been there, and the check through it.
    private var sequence: UInt64
    private var chainHash: ChainHash?
    private var gapOffset: Int?
    /// The last batch that a damaged block says it holds.
    private var sequenceInGap: UInt64?
    private var start: Start?
    /// The last batch that was passed, as the beginning of a stretch of its own.
    private var lastBatch: Start?

    private struct Start {
        let offset: Int
        let sequence: UInt64
        let chainHashBefore: ChainHash?
    }

    /// Stretches are about this long.
    private static let stretchBytes = 256 << 10

    /// Walks over `bytes`, the whole of a file.
    ///
    /// - Parameter chainHashBefore: nil if the header cannot be trusted; then the first block tells.
    init(
        over bytes: UnsafeRawBufferPointer, of name: SegmentName, salt: UInt64,
        firstSequence: UInt64, chainHashBefore: ChainHash?
    ) {
        self.name = name
        self.salt = salt
        sequence = firstSequence - 1
        chainHash = chainHashBefore
        var offset = SegmentHeader.byteCount
        while offset + Block.headerByteCount <= bytes.count {
            offset += step(bytes, at: offset)
        }
        endStretch(at: min(gapOffset ?? offset, bytes.count))
        endLastGap(bytes, from: gapOffset ?? offset)
    }

    /// Looks at one place; returns how far to go on.
    private mutating func step(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        guard let header = Block(headerIn: bytes, at: offset, salt: salt),
            header.byteCount <= bytes.count - offset
        else {
            beginGap(at: offset)
            return Block.alignment
        }
        durableByteCount = max(durableByteCount, header.durableByteCount)
        guard let block = Block(wholeIn: bytes, at: offset, salt: salt), isAhead(block) else {
            beginGap(at: offset)
            if isAhead(header) { sequenceInGap = header.sequence }
            return header.byteCount
        }
        if !follows(block) {
            beginGap(at: offset)
            endGap(before: block)
        } else if gapOffset != nil {
            endGap(before: block)
        }
        take(block, at: offset)
        return block.byteCount
    }

    /// Whether the block may stand behind what was passed: numbers only grow.
    private func isAhead(_ block: Block) -> Bool {
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
        if let start, end - start.offset >= Self.stretchBytes { endStretch(at: end) }
    }

    private mutating func beginGap(at offset: Int) {
        guard gapOffset == nil else { return }
        endStretch(at: offset)
        gapOffset = offset
    }

    /// A block behind the gap tells how much stood in it.
    private mutating func endGap(before block: Block) {
        guard let offset = gapOffset else { return }
        let last = block.kind == .batch ? block.sequence - 1 : block.sequence
        let lost = last > sequence ? sequence + 1...last : nil
        if lost == nil, chainHash != nil, !follows(block), let lastBatch,
            lastBatch.sequence == sequence
        {
            let doubtful = lastBatch.sequence...block.sequence
            gaps.append(Gap(offset: offset, sequences: doubtful, isContradiction: true))
            setApart(lastBatch)
        } else {
            gaps.append(Gap(offset: offset, sequences: lost))
        }
        if !follows(block) {
            sequence = last
            // A mark says what the check before the next batch is, a batch does not.
            chainHash = block.kind == .batch ? nil : block.chainHash
        }
        gapOffset = nil
        sequenceInGap = nil
    }

    private mutating func endStretch(at offset: Int) {
        guard let start, let chainHash else { return }
        stretches.append(stretch(from: start, to: offset, through: sequence, chainHash))
        self.start = nil
    }

    private func stretch(
        from start: Start, to end: Int, through last: UInt64, _ chainHashAfter: ChainHash
    ) -> BatchExtent {
        BatchExtent(
            segment: name, form: .blocks(salt: salt), offset: start.offset,
            byteCount: end - start.offset, contentByteCount: end - start.offset,
            sequences: start.sequence...last, chainHashBefore: start.chainHashBefore,
            chainHashAfter: chainHashAfter)
    }

    /// Divides the last stretch before a batch, so that what is before it can be told from it.
    private mutating func setApart(_ batch: Start) {
        guard let whole = stretches.last, whole.sequences.lowerBound < batch.sequence,
            let chainHash = batch.chainHashBefore
        else { return }
        let first = Start(
            offset: whole.offset, sequence: whole.sequences.lowerBound,
            chainHashBefore: whole.chainHashBefore)
        let end = whole.offset + whole.byteCount
        stretches.removeLast()
        stretches.append(
            stretch(from: first, to: batch.offset, through: batch.sequence - 1, chainHash))
        stretches.append(
            stretch(from: batch, to: end, through: batch.sequence, whole.chainHashAfter))
    }

    /// Zeros at the end are room made in advance.
    private mutating func endLastGap(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
        guard offset < bytes.count, bytes.lastNonzero(from: offset) != nil else { return }
        let last = max(sequenceInGap ?? 0, sequence + 1)
        gaps.append(Gap(offset: offset, sequences: sequence + 1...last, isOpenEnded: true))
    }
}
