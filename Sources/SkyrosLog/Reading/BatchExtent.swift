import SkyrosDisk

/// The place of consecutive batches in a segment's file, and the hashes that prove them.
struct BatchExtent: Sendable {
    enum Form: Equatable, Sendable {
        /// A frame of a sealed segment.
        case frame
        /// Blocks of an open segment with this salt.
        case blocks(salt: UInt64)
    }

    let segment: SegmentName
    let form: Form
    let offset: Int
    let byteCount: Int
    /// The size of the uncompressed batches; nil if only the frame states it.
    var contentByteCount: Int?
    let sequences: ClosedRange<UInt64>
    /// The chain hash before the first batch; nil after a gap, where nothing proves it.
    let chainHashBefore: ChainHash?
    let chainHashAfter: ChainHash

    /// Reads the batches and verifies every one.
    ///
    /// - Throws: `LogError` if they are not what was written.
    func chunk(on disk: any Disk, _ format: FrameFormat) throws(LogError) -> LogChunk {
        try chunk(in: onDisk(disk.open(segment.path, .read)), format)
    }

    func chunk(in file: any DiskFile, _ format: FrameFormat) throws(LogError) -> LogChunk {
        let bytes = try file.bytes(from: offset, count: byteCount)
        let (content, ranges, chainHash) =
            switch form {
            case .frame: try frameContent(bytes, format)
            case .blocks(let salt): try blockContent(bytes, salt: salt)
            }
        // The index may be forged and name more batches than an `Int` counts.
        guard UInt64(ranges.count) == sequences.upperBound - sequences.lowerBound + 1 else {
            throw damage(.corrupt, "the batches are not those that the index names")
        }
        guard chainHashBefore == nil || chainHash == chainHashAfter else {
            throw damage(.chainBroken, "the chain hash does not match")
        }
        return LogChunk(
            firstSequence: sequences.lowerBound,
            chainHashBefore: chainHashBefore ?? ChainHash(rawValue: 0), bytes: content,
            ranges: ranges)
    }

    private typealias Content = (bytes: [UInt8], ranges: [Range<Int>], chainHash: ChainHash)

    private func frameContent(_ bytes: [UInt8], _ format: FrameFormat) throws(LogError) -> Content {
        let content: [UInt8]
        do throws(Zstd.Failure) {
            content = try bytes.withBytes { frame throws(Zstd.Failure) in
                try Zstd.content(
                    of: frame, byteCount: contentByteCount, byteCountMax: format.contentBytesMax)
            }
        } catch {
            throw damage(.corrupt, "a frame cannot be decompressed: \(error)")
        }
        return try content.withBytes { all throws(LogError) in
            guard let ranges = format.ranges(in: all) else {
                throw damage(.corrupt, "a frame holds bytes that are not a batch")
            }
            let chainHash = ranges.reduce(chainHashBefore ?? chainHashAfter) { hash, range in
                hash.advanced(by: XXH64.hash(UnsafeRawBufferPointer(rebasing: all[range])))
            }
            return (content, ranges, chainHash)
        }
    }

    private func blockContent(_ bytes: [UInt8], salt: UInt64) throws(LogError) -> Content {
        var ranges: [Range<Int>] = []
        var chainHash = chainHashBefore ?? chainHashAfter
        var position = 0
        while position < bytes.count {
            guard
                let block = bytes.withBytes({ Block(wholeIn: $0, at: position, salt: salt) })
            else {
                let why = "a block that was valid before can no longer be read"
                throw damage(.corrupt, why, at: position, after: ranges.count)
            }
            if block.kind == .batch {
                let start = position + Block.headerByteCount
                ranges.append(start..<start + block.payloadByteCount)
                chainHash = chainHash.advanced(by: block.payloadHash)
            }
            position += block.byteCount
        }
        return (bytes, ranges, chainHash)
    }

    /// - Parameters:
    ///   - position: the damaged byte, from the start of the extent.
    ///   - batchCount: the valid batches before it.
    private func damage(
        _ code: LogError.Code, _ why: String, at position: Int = 0, after batchCount: Int = 0
    ) -> LogError {
        let first = min(sequences.lowerBound + UInt64(batchCount), sequences.upperBound)
        return LogError(
            code, why, segment, at: offset + position, sequences: first...sequences.upperBound)
    }
}

extension SegmentIndex {
    /// The batches of one frame. `lastSequence` must not be nil.
    func extent(
        ofFrame number: Int, in segment: SegmentName, at offset: Int, byteCount: Int,
        contentByteCount: Int?
    ) -> BatchExtent {
        let frame = frames[number]
        let next = number + 1 < frames.count ? frames[number + 1] : nil
        let last = next.map { $0.firstSequence - 1 } ?? lastSequence ?? .max
        return BatchExtent(
            segment: segment, form: .frame, offset: offset, byteCount: byteCount,
            contentByteCount: contentByteCount, sequences: frame.firstSequence...last,
            chainHashBefore: frame.chainHashBefore,
            chainHashAfter: next?.chainHashBefore ?? chainHashAfter)
    }
}
