import SkyrosDisk

/// Consecutive batches that were whole when a survey read them, and where they stand.
struct BatchExtent: Sendable {
    enum Form: Equatable, Sendable {
        /// A frame of a sealed segment.
        case frame
        /// Blocks of an open one, whose headers are salted so.
        case blocks(salt: UInt64)
    }

    let segment: SegmentName
    let form: Form
    let offset: Int
    let byteCount: Int
    /// The size of the batches, uncompressed.
    var contentByteCount = 0
    let sequences: ClosedRange<UInt64>
    /// The chain hash before the first batch; nil where that cannot be told, behind a gap.
    let chainHashBefore: ChainHash?
    let chainHashAfter: ChainHash

    /// Reads the batches and checks all of them again.
    ///
    /// - Throws: `LogError` if they are not what they should be.
    func chunk(
        on disk: any Disk, framing: PayloadFraming, contentBytesMax: Int
    ) throws(LogError) -> LogChunk {
        let file = try onDisk { () throws(DiskError) in try disk.open(segment.path, .read) }
        let bytes = try file.bytes(from: offset, count: byteCount)
        return try chunk(of: bytes, framing: framing, contentBytesMax: contentBytesMax)
    }

    /// The batches in `bytes`, which stand where the stretch does.
    func chunk(
        of bytes: [UInt8], framing: PayloadFraming, contentBytesMax: Int
    ) throws(LogError) -> LogChunk {
        var content = bytes
        let ranges: [Range<Int>]?
        switch form {
        case .frame:
            content = try self.content(of: bytes, contentBytesMax)
            ranges = SealedSegment.ranges(in: content, framing)
        case .blocks(let salt):
            ranges = content.withUnsafeBytes { Self.payloads(in: $0, salt: salt) }
        }
        // The index may be crafted, and name more batches than an `Int` counts.
        let count = sequences.upperBound - sequences.lowerBound + 1
        guard let ranges, UInt64(ranges.count) == count else {
            throw damage("it does not hold the batches that it held before")
        }
        if let chainHashBefore {
            let chainHash = content.withUnsafeBytes { all in
                ranges.reduce(chainHashBefore) { chainHash, range in
                    chainHash.advanced(by: XXH64.hash(UnsafeRawBufferPointer(rebasing: all[range])))
                }
            }
            guard chainHash == chainHashAfter else { throw damage("the chain hash does not match") }
        }
        return LogChunk(
            firstSequence: sequences.lowerBound,
            chainHashBefore: chainHashBefore ?? ChainHash(rawValue: 0), bytes: content,
            ranges: ranges)
    }

    private func content(
        of bytes: [UInt8], _ contentBytesMax: Int
    ) throws(LogError) -> [UInt8] {
        do throws(Zstd.Failure) {
            return try bytes.withBytes { frame throws(Zstd.Failure) in
                try Zstd.content(of: frame, byteCountMax: contentBytesMax)
            }
        } catch {
            throw damage("a frame cannot be decompressed: \(error)")
        }
    }

    /// The payloads of the batches' blocks; nil if a block is not whole.
    private static func payloads(in all: UnsafeRawBufferPointer, salt: UInt64) -> [Range<Int>]? {
        var ranges: [Range<Int>] = []
        var offset = 0
        while offset < all.count {
            guard let block = Block(wholeIn: all, at: offset, salt: salt) else { return nil }
            if block.kind == .batch {
                let start = offset + Block.headerByteCount
                ranges.append(start..<start + block.payloadByteCount)
            }
            offset += block.byteCount
        }
        return ranges
    }

    private func damage(_ why: String) -> LogError {
        LogError(.corrupt, why, segment, at: offset, sequences: sequences)
    }
}
