import SkyrosDisk

/// A segment that is not sealed, as a reader sees it at one moment.
struct OpenSegment: Sendable {
    let name: SegmentName
    let header: SegmentHeader
    let file: any DiskFile
    var scan: SegmentScan

    /// Stretches of about this size are read at once.
    private static let stretchBytes = 256 << 10

    /// Whether there is anything in it but marks.
    var hasBatches: Bool { scan.lastSequence >= header.firstSequence }

    /// Opens the segment and reads its header, not its blocks.
    init(_ name: SegmentName, on disk: any Disk, _ mode: OpenMode) throws(LogError) {
        let file = try onDisk { () throws(DiskError) in try disk.open(name.path, mode) }
        try self.init(name, file: file)
    }

    init(_ name: SegmentName, file: any DiskFile) throws(LogError) {
        self.name = name
        self.file = file
        let bytes = try file.bytes(from: 0, count: SegmentHeader.byteCount)
        header = try SegmentHeader(bytes, in: name)
        scan = SegmentScan(beginning: header)
    }

    /// Scans what was added to the file since the last time.
    mutating func scanFurther() throws(LogError) {
        let status = try onDisk { () throws(DiskError) in try file.status() }
        let missing = max(0, status.sizeBytes - scan.endOffset)
        let bytes = try file.bytes(from: scan.endOffset, count: missing)
        bytes.withUnsafeBytes { scan.advance(over: $0, salt: header.salt) }
    }

    /// Reads some batches, the one with `sequence` among them, which must be in this segment.
    func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk {
        let index = scan.waypoints.lastIndex { $0.sequence <= sequence } ?? 0
        let start = scan.waypoints[index]
        var end = scan.endOffset
        for waypoint in scan.waypoints[(index + 1)...]
        where waypoint.offset - start.offset >= Self.stretchBytes {
            end = waypoint.offset
            break
        }
        let bytes = try file.bytes(from: start.offset, count: end - start.offset)
        return try chunk(bytes, from: start)
    }

    /// Every block is checked again, as the bytes come from the disk again.
    private func chunk(
        _ bytes: [UInt8], from start: SegmentScan.Waypoint
    ) throws(LogError) -> LogChunk {
        var ranges: [Range<Int>] = []
        var chainHash = start.chainHashBefore
        var offset = 0
        while offset < bytes.count {
            let found = bytes.withUnsafeBytes { all in
                Block(wholeIn: all, at: offset, salt: header.salt)
            }
            guard let block = found else {
                let next = start.sequence + UInt64(ranges.count)
                throw LogError(
                    .corrupt, "a block that was whole before can no longer be read", name,
                    at: start.offset + offset, sequences: next...next)
            }
            if block.kind == .batch {
                let payloadStart = offset + Block.headerByteCount
                ranges.append(payloadStart..<payloadStart + block.payloadByteCount)
                chainHash = chainHash.advanced(by: block.payloadHash)
            }
            guard chainHash == block.chainHash else {
                throw LogError(
                    .chainBroken, "the chain hash does not match", name,
                    at: start.offset + offset, sequences: block.sequence...block.sequence)
            }
            offset += block.byteCount
        }
        return LogChunk(
            firstSequence: start.sequence, chainHashBefore: start.chainHashBefore, bytes: bytes,
            ranges: ranges)
    }
}

extension DiskFile {
    /// The bytes from `position` on, fewer than `count` at the end of the file.
    func bytes(from position: Int, count: Int) throws(LogError) -> [UInt8] {
        // An array made for nothing would write its count, 0, where all empty arrays are one.
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
