/// The result of scanning the blocks of an open segment. A pure function of the bytes.
struct SegmentScan: Sendable {
    /// Why the scan ended.
    enum Stop: Equatable, Sendable {
        /// The last block ends where the file ends.
        case endOfFile
        /// Only zeros follow the last block: preallocated space.
        case zeros
        /// Bytes follow that are not the next block.
        case invalid
    }

    /// A whole block that does not continue the history before it.
    enum Contradiction: Equatable, Sendable {
        /// A mark that proves everything before it durable: the blocks before it are not those that
        /// were synced.
        case mark
        /// Another block, which itself may be the damaged part.
        case block

        init(_ block: Block, at offset: Int) {
            let isProof = block.kind != .batch && block.durableByteCount >= offset
            self = isProof ? .mark : .block
        }
    }

    /// A block that this library must not pass over.
    struct Unsupported: Equatable, Sendable {
        let offset: Int
        let why: String
    }

    /// The position of a batch, so that a reader need not start at the first block.
    struct Waypoint: Sendable {
        let sequence: UInt64
        let offset: Int
        let chainHashBefore: ChainHash
    }

    /// The end of the last valid block: the first byte that does not parse, if any follows.
    private(set) var endOffset: Int
    private(set) var lastSequence: UInt64
    private(set) var lastChainHash: ChainHash
    private(set) var lastKind: Block.Kind?
    /// The size of the batches.
    private(set) var contentByteCount = 0
    /// The durable watermark: the largest position that some block proves durable.
    private(set) var durableByteCount: Int
    /// What the newest opening block says; nil if there is none, or it cannot be read.
    private(set) var opening: OpeningPayload?
    private(set) var waypoints: [Waypoint] = []
    private(set) var stop: Stop = .endOfFile
    /// Valid blocks after the first byte that does not parse.
    private(set) var validBlocksAfterEnd = 0
    /// The whole block at the end that continues another history.
    private(set) var contradiction: Contradiction?
    /// The first block that only a newer version understands. Its header is intact, so it is not
    /// damage, and nothing after it may be cut off.
    private(set) var unsupported: Unsupported?
    /// The end of the last byte that is not zero.
    private(set) var lastNonzeroOffset: Int

    var head: LogHead { LogHead(sequence: lastSequence, chainHash: lastChainHash) }

    /// Waypoints are at least this many bytes apart: as much is read before the newest batch, at
    /// most.
    static let waypointDistanceBytes = 8 << 10

    /// A scan that has read the header only.
    init(beginning header: SegmentHeader) {
        endOffset = header.byteCount
        lastSequence = header.firstSequence - 1
        lastChainHash = header.chainHashBefore
        durableByteCount = 0
        lastNonzeroOffset = header.byteCount
    }

    /// Continues over `bytes`, which start at `endOffset` in the file.
    mutating func advance(over bytes: UnsafeRawBufferPointer, salt: UInt64) {
        let base = endOffset
        var offset = 0
        while let block = validBlock(in: bytes, at: offset, salt: salt) {
            let payload = bytes.slice(offset + Block.headerByteCount, block.payloadByteCount)
            add(block, payload: payload)
            offset += block.byteCount
        }
        validBlocksAfterEnd = 0
        contradiction = nil
        if offset >= bytes.count {
            stop = .endOfFile
        } else if let last = bytes.lastNonzero(from: offset) {
            stop = .invalid
            lastNonzeroOffset = base + last + 1
            contradiction = Block(wholeIn: bytes, at: offset, salt: salt).map {
                Contradiction($0, at: endOffset)
            }
            noteUnsupported(Block(headerIn: bytes, at: offset, salt: salt), at: base + offset)
            countBlocksAfterEnd(bytes, from: offset, salt: salt, base: base)
        } else {
            stop = .zeros
        }
    }

    /// Adds the next block, at `endOffset`.
    mutating func add(_ block: Block, payload: UnsafeRawBufferPointer) {
        if block.kind == .batch {
            contentByteCount += payload.count
            let last = waypoints.last?.offset ?? -Self.waypointDistanceBytes
            if endOffset - last >= Self.waypointDistanceBytes {
                waypoints.append(
                    Waypoint(
                        sequence: block.sequence, offset: endOffset, chainHashBefore: lastChainHash)
                )
            }
        }
        if block.kind == .opening { opening = OpeningPayload(payload) }
        durableByteCount = max(durableByteCount, block.durableByteCount)
        lastSequence = block.sequence
        lastChainHash = block.chainHash
        lastKind = block.kind
        endOffset += block.byteCount
        lastNonzeroOffset = endOffset
    }

    /// The block at `offset`, if it is intact and continues the history.
    private func validBlock(
        in bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt64
    ) -> Block? {
        // No batch has the last number: a next one follows every batch.
        guard let block = Block(wholeIn: bytes, at: offset, salt: salt), block.refusal == nil,
            block.sequence < .max
        else { return nil }
        var expected = head
        if block.kind == .batch {
            expected.sequence &+= 1
            expected.chainHash = expected.chainHash.advanced(by: block.payloadHash)
        }
        return block.sequence == expected.sequence && block.chainHash == expected.chainHash
            ? block : nil
    }

    private mutating func noteUnsupported(_ block: Block?, at offset: Int) {
        guard unsupported == nil, let why = block?.refusal else { return }
        unsupported = Unsupported(offset: offset, why: why)
    }

    /// Counts the valid headers after the end, which distinguish damage from a torn tail.
    ///
    /// - Parameter base: the offset of `bytes` in the file.
    private mutating func countBlocksAfterEnd(
        _ bytes: UnsafeRawBufferPointer, from start: Int, salt: UInt64, base: Int
    ) {
        var offset = start + Block.alignment
        while offset + Block.headerByteCount <= bytes.count {
            guard let block = Block(headerIn: bytes, at: offset, salt: salt) else {
                offset += Block.alignment
                continue
            }
            noteUnsupported(block, at: base + offset)
            validBlocksAfterEnd += 1
            durableByteCount = max(durableByteCount, block.durableByteCount)
            offset += block.byteCount
        }
    }
}
