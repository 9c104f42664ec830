import SkyrosDisk

/// A segment that is not sealed, as a reader sees it at one moment.
struct OpenSegment: Sendable {
    let name: SegmentName
    let header: SegmentHeader
    let file: any DiskFile
    var scan: SegmentScan

    /// The size of one read, about.
    private static let chunkBytes = 256 << 10

    /// Whether it holds anything but marks.
    var hasBatches: Bool { scan.lastSequence >= header.firstSequence }

    /// Opens the segment and scans its blocks.
    init(_ name: SegmentName, on disk: any Disk, _ mode: OpenMode) throws(LogError) {
        try self.init(name, file: onDisk(disk.open(name.path, mode)))
    }

    init(_ name: SegmentName, file: any DiskFile) throws(LogError) {
        self.name = name
        self.file = file
        header = try SegmentHeader(SegmentHeader.bytes(of: file), in: name)
        scan = SegmentScan(beginning: header)
        try scanFurther()
    }

    /// Scans what was added to the file since the last scan.
    ///
    /// - Throws: `LogError` with `.unsupportedFormat` if a newer version wrote a block.
    mutating func scanFurther() throws(LogError) {
        let added = try max(0, onDisk(file.status()).sizeBytes - scan.endOffset)
        let bytes = try file.bytes(from: scan.endOffset, count: added)
        bytes.withBytes { scan.advance(over: $0, salt: header.salt) }
        if let block = scan.unsupported {
            throw LogError(.unsupportedFormat, block.why, name, at: block.offset)
        }
    }

    /// Reads some batches, the one with `sequence` among them, which must be in this segment.
    func chunk(
        containing sequence: UInt64, _ format: FrameFormat
    ) throws(LogError) -> LogChunk {
        let index = max(1, scan.waypoints.partitioningIndex { $0.sequence > sequence }) - 1
        let start = scan.waypoints[index]
        let end = scan.waypoints[(index + 1)...].first {
            $0.offset - start.offset >= Self.chunkBytes
        }
        let extent = BatchExtent(
            segment: name, form: .blocks(salt: header.salt), offset: start.offset,
            byteCount: (end?.offset ?? scan.endOffset) - start.offset,
            sequences: start.sequence...(end.map { $0.sequence - 1 } ?? scan.lastSequence),
            chainHashBefore: start.chainHashBefore,
            chainHashAfter: end?.chainHashBefore ?? scan.lastChainHash)
        return try extent.chunk(in: file, format)
    }
}

extension DiskFile {
    /// The bytes from `position` on, fewer than `count` only at the end of the file.
    func bytes(from position: Int, count: Int) throws(LogError) -> [UInt8] {
        // The initializer below would write the count into the empty array that all arrays share.
        guard count > 0 else { return [] }
        var failure: DiskError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(DiskError) {
                filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: position)
            } catch {
                failure = error
            }
        }
        if let failure { throw LogError(failure) }
        return bytes
    }
}
