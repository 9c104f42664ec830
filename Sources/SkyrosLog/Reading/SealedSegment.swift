import SkyrosDisk

/// A sealed segment: a standard zstd file of independent frames, which never changes.
///
///     skippable frame 0x184D2A50    the segment's header
///     frames                        whole batches, one after the other, nothing else
///     skippable frame 0x184D2A51    the index
///     skippable frame 0x184D2A5E    the seek table
struct SealedSegment: Sendable {
    static let headerMagic: UInt32 = 0x184D_2A50

    struct Frame: Sendable {
        let offset: Int
        let compressedByteCount: Int
        let contentByteCount: Int
        let firstSequence: UInt64
        let chainHashBefore: ChainHash
    }

    let name: SegmentName
    let header: SegmentHeader
    let lastSequence: UInt64
    let chainHashAfter: ChainHash
    let timeAfter: Int64
    /// The size of the file.
    let byteCount: Int
    /// The size of what it holds.
    let contentByteCount: Int
    let frames: [Frame]
    /// Opened for each read: a long history has more segments than a process may have open files.
    private let disk: any Disk
    private let status: FileStatus

    /// Opens the segment and reads its header, index and seek table, not its batches.
    init(_ name: SegmentName, on disk: any Disk) throws(LogError) {
        self.name = name
        self.disk = disk
        let file = try onDisk { () throws(DiskError) in try disk.open(name.path, .read) }
        status = try onDisk { () throws(DiskError) in try file.status() }
        let size = status.sizeBytes
        byteCount = size
        let table = try Self.seekTable(of: file, size: size, name)
        header = try Self.header(of: file, name)
        let index = try Self.index(of: file, table, size: size, name)
        var frames: [Frame] = []
        var offset = Int(table.entries[0].compressedByteCount)
        for (entry, frame) in zip(table.entries.dropFirst(), index.frames) {
            frames.append(
                Frame(
                    offset: offset, compressedByteCount: Int(entry.compressedByteCount),
                    contentByteCount: Int(entry.contentByteCount),
                    firstSequence: frame.firstSequence, chainHashBefore: frame.chainHashBefore))
            offset += Int(entry.compressedByteCount)
        }
        self.frames = frames
        let (last, overflow) = header.firstSequence.addingReportingOverflow(index.batchCount &- 1)
        contentByteCount = frames.reduce(0) { $0 + $1.contentByteCount }
        // Every batch has a byte at least, so the counts below are those of what is there.
        let isConsistent =
            !overflow && last < .max && index.batchCount > 0
            && index.batchCount <= UInt64(contentByteCount)
            && frames.first?.firstSequence == header.firstSequence
            && frames.first?.chainHashBefore == header.chainHashBefore
            && zip(frames, frames.dropFirst()).allSatisfy { $0.firstSequence < $1.firstSequence }
            && (frames.last?.firstSequence ?? .max) <= last
        guard isConsistent else { throw Self.damage("index", name, at: offset) }
        lastSequence = last
        chainHashAfter = index.chainHashAfter
        timeAfter = index.timeAfter
    }

    /// Reads the frame with the batch `sequence`, which must be in this segment, and checks
    /// every batch in it.
    func chunk(
        containing sequence: UInt64, framing: PayloadFraming, contentBytesMax: Int
    ) throws(LogError) -> LogChunk {
        let position = (frames.lastIndex { $0.firstSequence <= sequence }) ?? 0
        let frame = frames[position]
        let isLast = position == frames.count - 1
        let next = isLast ? lastSequence + 1 : frames[position + 1].firstSequence
        let expected = isLast ? chainHashAfter : frames[position + 1].chainHashBefore
        let sequences = frame.firstSequence...(next - 1)
        guard frame.contentByteCount <= contentBytesMax else {
            let why =
                "the seek table gives a frame \(frame.contentByteCount) bytes, more than any has"
            throw LogError(.corrupt, why, name, at: frame.offset, sequences: sequences)
        }
        let bytes = try content(of: frame, sequences)
        guard let ranges = Self.ranges(in: bytes, framing), ranges.count == sequences.count else {
            let why = "a frame does not hold the batches that the index names"
            throw LogError(.corrupt, why, name, at: frame.offset, sequences: sequences)
        }
        let chainHash = bytes.withUnsafeBytes { all in
            ranges.reduce(frame.chainHashBefore) { chainHash, range in
                chainHash.advanced(by: XXH64.hash(UnsafeRawBufferPointer(rebasing: all[range])))
            }
        }
        guard chainHash == expected else {
            let why = "the chain hash does not match"
            throw LogError(.chainBroken, why, name, at: frame.offset, sequences: sequences)
        }
        return LogChunk(
            firstSequence: frame.firstSequence, chainHashBefore: frame.chainHashBefore,
            bytes: bytes,
            ranges: ranges)
    }

    private func content(
        of frame: Frame, _ sequences: ClosedRange<UInt64>
    ) throws(LogError) -> [UInt8] {
        let file = try onDisk { () throws(DiskError) in try disk.open(name.path, .read) }
        guard try onDisk({ () throws(DiskError) in try file.status() }) == status else {
            let why = "another file has taken the place of the segment that was here"
            throw LogError(.segmentMissing, why, name, sequences: sequences)
        }
        let compressed = try file.bytes(from: frame.offset, count: frame.compressedByteCount)
        let content = compressed.withUnsafeBytes { buffer in
            Result { () throws(Zstd.Failure) in
                try Zstd.content(of: buffer, byteCount: frame.contentByteCount)
            }
        }
        switch content {
        case .success(let bytes): return bytes
        case .failure(let failure):
            let why = "a frame cannot be decompressed: \(failure)"
            throw LogError(.corrupt, why, name, at: frame.offset, sequences: sequences)
        }
    }

    /// Where the batches in `bytes` are; nil if they are not batches alone.
    static func ranges(in bytes: [UInt8], _ framing: PayloadFraming) -> [Range<Int>]? {
        bytes.withUnsafeBytes { all in
            var ranges: [Range<Int>] = []
            var offset = 0
            while offset < all.count {
                let rest = all.slice(offset, all.count - offset)
                guard let count = framing(rest), count > 0, count <= rest.count else { return nil }
                ranges.append(offset..<offset + count)
                offset += count
            }
            return ranges
        }
    }
}

// MARK: - Opening

extension SealedSegment {
    private static func seekTable(
        of file: any DiskFile, size: Int, _ name: SegmentName
    ) throws(LogError) -> SeekTable {
        let footerStart = max(0, size - SeekTable.footerByteCount)
        let footer = try file.bytes(from: footerStart, count: SeekTable.footerByteCount)
        guard let count = footer.withUnsafeBytes({ SeekTable.entryCount(footer: $0) }),
            count >= 2, SeekTable.byteCount(entries: count) <= size
        else { throw damage("seek table", name, at: footerStart) }
        let start = size - SeekTable.byteCount(entries: count)
        let bytes = try file.bytes(from: start, count: size - start)
        guard let table = bytes.withUnsafeBytes({ SeekTable($0) }),
            table.entries.reduce(0, { $0 + Int($1.compressedByteCount) }) == start,
            table.entries[0].contentByteCount == 0
        else { throw damage("seek table", name, at: start) }
        return table
    }

    private static func header(
        of file: any DiskFile, _ name: SegmentName
    ) throws(LogError) -> SegmentHeader {
        let size = SkippableFrame.headerByteCount + SegmentHeader.byteCount
        let bytes = try file.bytes(from: 0, count: size)
        let isFrame = bytes.withUnsafeBytes {
            SkippableFrame.content(of: $0, magic: headerMagic) != nil
        }
        guard isFrame else { throw damage("header", name, at: 0) }
        return try SegmentHeader([UInt8](bytes.dropFirst(SkippableFrame.headerByteCount)), in: name)
    }

    private static func index(
        of file: any DiskFile, _ table: SeekTable, size: Int, _ name: SegmentName
    ) throws(LogError) -> SegmentIndex {
        let entry = table.entries[table.entries.count - 1]
        let frameSize = Int(entry.compressedByteCount)
        let end = size - SeekTable.byteCount(entries: table.entries.count)
        let bytes = try file.bytes(from: end - frameSize, count: frameSize)
        let index = bytes.withUnsafeBytes { buffer in
            SkippableFrame.content(of: buffer, magic: SegmentIndex.frameMagic).flatMap {
                SegmentIndex($0)
            }
        }
        guard let index, index.frames.count == table.entries.count - 2 else {
            throw damage("index", name, at: end - frameSize)
        }
        return index
    }

    private static func damage(_ part: String, _ name: SegmentName, at offset: Int) -> LogError {
        let why = "the sealed segment's \(part) is damaged"
        return LogError(.corrupt, why, name, at: offset)
    }
}
