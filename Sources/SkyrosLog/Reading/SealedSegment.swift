import SkyrosDisk

/// A sealed segment: a `FrameFile` with a `SegmentHeader` and a `SegmentIndex`, whose frames hold
/// whole batches, without anything between them. The file never changes; that of a small segment is
/// replaced by a merged one.
struct SealedSegment: Sendable {
    var name: SegmentName
    let header: SegmentHeader
    let index: SegmentIndex
    let lastSequence: UInt64
    let byteCount: Int
    /// The size of the batches, uncompressed.
    let contentByteCount: Int
    let frames: [FrameFile.Frame]
    /// Where the frame of the index begins.
    let indexOffset: Int
    /// Whether this library knows every part of the file, so that a merge loses none.
    let isMergeable: Bool
    /// The file is opened for each read: a long history has more segments than a process may have
    /// open files.
    let disk: any Disk
    let status: FileStatus

    var chainHashAfter: ChainHash { index.chainHashAfter }

    /// Opens the segment and reads its header, index and seek table, not its batches.
    init(_ name: SegmentName, on disk: any Disk) throws(LogError) {
        self.name = name
        self.disk = disk
        let file = try onDisk(disk.open(name.path, .read))
        status = try onDisk(file.status())
        byteCount = status.sizeBytes
        let parts = try FrameFile(
            file, byteCount: byteCount, path: name.path, as: "sealed segment")
        header = try Self.header(of: file, parts, name)
        index = try Self.index(of: file, parts)
        frames = parts.frames
        indexOffset = parts.indexOffset
        isMergeable =
            header.isWhollyKnown && !parts.hasUnknownFrames
            && parts.indexByteCount
                == SkippableFrame.headerByteCount + SegmentIndex.byteCount(frames: frames.count)
        contentByteCount = frames.reduce(0) { $0 + $1.contentByteCount }
        // Every batch has at least one byte, so the content bounds the counts.
        guard let last = index.lastSequence, index.batchCount <= UInt64(contentByteCount),
            index.frames[0].firstSequence == header.firstSequence,
            index.frames[0].chainHashBefore == header.chainHashBefore
        else { throw parts.damage("index", at: indexOffset) }
        lastSequence = last
    }

    func extent(ofFrame number: Int) -> BatchExtent {
        let frame = frames[number]
        return index.extent(
            ofFrame: number, in: name, at: frame.offset, byteCount: frame.compressedByteCount,
            contentByteCount: frame.contentByteCount)
    }

    /// Reads the frame with the batch `sequence`, which must be in this segment, and verifies
    /// every batch in it.
    func chunk(
        containing sequence: UInt64, _ format: FrameFormat
    ) throws(LogError) -> LogChunk {
        let number = index.frames.lastIndex { $0.firstSequence <= sequence } ?? 0
        return try extent(ofFrame: number).chunk(in: openFile(), format)
    }

    /// Opens the file.
    ///
    /// - Throws: `LogError` with `.segmentMissing` if it is gone, or another one than was read
    ///   before.
    func openFile() throws(LogError) -> any DiskFile {
        do throws(DiskError) {
            let file = try disk.open(name.path, .read)
            if try file.status() == status { return file }
        } catch {
            guard error.isNotFound else { throw LogError(error) }
        }
        let why = "the file was removed, or replaced by one of other events; restore it"
        throw LogError(
            .segmentMissing, why, name, sequences: header.firstSequence...lastSequence)
    }
}

// MARK: - Opening

extension SealedSegment {
    private static func header(
        of file: any DiskFile, _ parts: FrameFile, _ name: SegmentName
    ) throws(LogError) -> SegmentHeader {
        let start = SkippableFrame.headerByteCount
        let content = try SegmentHeader.bytes(of: file, at: start)
        let header: SegmentHeader
        do throws(LogError) {
            header = try SegmentHeader(content, in: name)
        } catch {
            throw error.moved(by: start)
        }
        guard try parts.header(in: file) == content else { throw parts.damage("header", at: 0) }
        return header
    }

    private static func index(
        of file: any DiskFile, _ parts: FrameFile
    ) throws(LogError) -> SegmentIndex {
        let index = try parts.index(in: file).withBytes { SegmentIndex($0) }
        guard let index, index.frames.count == parts.frames.count else {
            throw parts.damage("index", at: parts.indexOffset)
        }
        return index
    }
}
