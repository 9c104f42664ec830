/// What a pass over the blocks of an active segment found. A pure function of the bytes.
struct SegmentScan: Sendable {
    /// Why the pass ended.
    enum Stop: Equatable, Sendable {
        /// The last block ends where the file ends.
        case endOfFile
        /// Nothing but zeros follows the last block: room made in advance.
        case zeros
        /// Something follows that is no block in this place.
        case invalid
    }

    /// A batch's block, so that readers need not start at the front.
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
    /// The largest position that some block proves durable.
    private(set) var durableByteCount: Int
    /// The boot in which the newest opening block was written.
    private(set) var bootID: String?
    private(set) var waypoints: [Waypoint] = []
    private(set) var stop: Stop = .endOfFile
    /// Valid blocks that stand behind the first byte that does not parse.
    private(set) var validBlocksAfterEnd = 0
    /// Whether the first byte that does not parse begins a mark that says that all before it was
    /// durable, and belongs to another history than that. Of a batch it may be the batch itself.
    private(set) var isEndContradicted = false
    /// The end of the last byte that is not zero.
    private(set) var lastNonzeroOffset: Int

    /// Where the log stands at the end.
    var head: LogHead { LogHead(sequence: lastSequence, chainHash: lastChainHash) }

    /// Waypoints are about this many bytes apart.
    static let waypointDistanceBytes = 64 << 10

    /// A pass that has seen the header only.
    init(beginning header: SegmentHeader) {
        endOffset = SegmentHeader.byteCount
        lastSequence = header.firstSequence - 1
        lastChainHash = header.chainHashBefore
        durableByteCount = 0
        lastNonzeroOffset = SegmentHeader.byteCount
    }

    /// Goes on over `bytes`, which start at `endOffset` in the file.
    mutating func advance(over bytes: UnsafeRawBufferPointer, salt: UInt64) {
        let base = endOffset
        var offset = 0
        while let block = validBlock(in: bytes, at: offset, salt: salt) {
            note(
                block, at: base + offset, payload: bytes.slice(offset + 48, block.payloadByteCount))
            offset += block.byteCount
            endOffset = base + offset
        }
        lastNonzeroOffset = endOffset
        validBlocksAfterEnd = 0
        isEndContradicted = false
        if offset >= bytes.count {
            stop = .endOfFile
        } else if let last = bytes.lastNonzero(from: offset) {
            stop = .invalid
            lastNonzeroOffset = base + last + 1
            isEndContradicted = contradictsEnd(bytes, at: offset, salt: salt)
            lookBehind(bytes, from: offset, salt: salt)
        } else {
            stop = .zeros
        }
    }

    /// Notes a block that the writer of this process has just appended.
    mutating func note(_ block: Block, at offset: Int, payload: UnsafeRawBufferPointer) {
        if block.kind == .batch {
            let isFar = offset - (waypoints.last?.offset ?? -Self.waypointDistanceBytes)
            if isFar >= Self.waypointDistanceBytes {
                waypoints.append(
                    Waypoint(
                        sequence: block.sequence, offset: offset, chainHashBefore: lastChainHash))
            }
        }
        if block.kind == .opening { bootID = String(decoding: payload, as: UTF8.self) }
        durableByteCount = max(durableByteCount, block.durableByteCount)
        lastSequence = block.sequence
        lastChainHash = block.chainHash
        lastKind = block.kind
        endOffset = offset + block.byteCount
        lastNonzeroOffset = endOffset
    }

    /// The block at `offset` if it is whole and continues what came before.
    private func validBlock(
        in bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt64
    ) -> Block? {
        guard let block = Block(wholeIn: bytes, at: offset, salt: salt) else { return nil }
        if block.kind == .batch {
            guard block.sequence == lastSequence &+ 1,
                block.chainHash == lastChainHash.advanced(by: block.payloadHash)
            else { return nil }
        } else {
            guard block.sequence == lastSequence, block.chainHash == lastChainHash else {
                return nil
            }
        }
        return block
    }

    /// What was durable when a block was written, no crash can exchange behind its back.
    private func contradictsEnd(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt64
    ) -> Bool {
        guard let block = Block(wholeIn: bytes, at: offset, salt: salt) else { return false }
        return block.kind != .batch && block.durableByteCount >= endOffset
    }

    /// Looks for block headers behind the end: they tell damage from a torn tail.
    private mutating func lookBehind(
        _ bytes: UnsafeRawBufferPointer, from start: Int, salt: UInt64
    ) {
        var offset = start + Block.alignment
        while offset + Block.headerByteCount <= bytes.count {
            guard let block = Block(headerIn: bytes, at: offset, salt: salt) else {
                offset += Block.alignment
                continue
            }
            validBlocksAfterEnd += 1
            durableByteCount = max(durableByteCount, block.durableByteCount)
            offset += block.byteCount
        }
    }
}
