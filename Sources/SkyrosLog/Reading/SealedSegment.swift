import SkyrosDisk

/// A sealed segment: a standard zstd file of independent frames. The file never changes; that of a
/// small segment is replaced by a merged one.
///
/// | frame | content |
/// |---|---|
/// | skippable, 0x184D2A50 | `SegmentHeader` |
/// | zstd frames | whole batches, without anything between them |
/// | skippable, 0x184D2A51 | `SegmentIndex` |
/// | skippable, 0x184D2A5E | `SeekTable` |
struct SealedSegment: Sendable {
    static let headerMagic: UInt32 = 0x184D_2A50

    struct Frame: Sendable {
        let offset: Int
        let compressedByteCount: Int
        let contentByteCount: Int
    }

    var name: SegmentName
    let header: SegmentHeader
    let index: SegmentIndex
    let lastSequence: UInt64
    let byteCount: Int
    /// The size of the batches, uncompressed.
    let contentByteCount: Int
    let frames: [Frame]
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
        let table = try Self.seekTable(of: file, size: byteCount, name)
        header = try Self.header(of: file, name)
        index = try Self.index(of: file, table, size: byteCount, name)
        var offset = Int(table.entries[0].compressedByteCount)
        var frames: [Frame] = []
        for entry in table.entries[1..<(table.entries.count - 1)] {
            // A skippable frame has no content: later minor versions may add some.
            if entry.contentByteCount > 0 {
                frames.append(
                    Frame(
                        offset: offset, compressedByteCount: Int(entry.compressedByteCount),
                        contentByteCount: Int(entry.contentByteCount)))
            }
            offset += Int(entry.compressedByteCount)
        }
        self.frames = frames
        indexOffset = offset
        isMergeable =
            header.isWhollyKnown && table.entries.count == frames.count + 2
            && table.entries[frames.count + 1].compressedByteCount
                == SkippableFrame.headerByteCount + SegmentIndex.byteCount(frames: frames.count)
        contentByteCount = frames.reduce(0) { $0 + $1.contentByteCount }
        // Every batch has at least one byte, so the content bounds the counts.
        guard let last = index.lastSequence, index.batchCount <= UInt64(contentByteCount),
            index.frames[0].firstSequence == header.firstSequence,
            index.frames[0].chainHashBefore == header.chainHashBefore
        else { throw Self.damage("index", name, at: offset) }
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
    private static func seekTable(
        of file: any DiskFile, size: Int, _ name: SegmentName
    ) throws(LogError) -> SeekTable {
        let footerStart = max(0, size - SeekTable.footerByteCount)
        let footer = try file.bytes(from: footerStart, count: SeekTable.footerByteCount)
        guard let count = footer.withBytes({ SeekTable.entryCount(footer: $0) }),
            count >= 2, SeekTable.byteCount(entries: count) <= size
        else { throw damage("seek table", name, at: footerStart) }
        let start = size - SeekTable.byteCount(entries: count)
        let bytes = try file.bytes(from: start, count: size - start)
        guard let table = bytes.withBytes({ SeekTable($0) }),
            table.entries.reduce(0, { $0 + Int($1.compressedByteCount) }) == start,
            table.entries[0].contentByteCount == 0
        else { throw damage("seek table", name, at: start) }
        return table
    }

    private static func header(
        of file: any DiskFile, _ name: SegmentName
    ) throws(LogError) -> SegmentHeader {
        let start = try file.bytes(from: 0, count: SkippableFrame.headerByteCount)
        let content = try SegmentHeader.bytes(of: file, at: start.count)
        let header: SegmentHeader
        do throws(LogError) {
            header = try SegmentHeader(content, in: name)
        } catch {
            throw error.moved(by: start.count)
        }
        guard
            (start + content).withBytes({ SkippableFrame.content(of: $0, magic: headerMagic) })
                != nil
        else { throw damage("header", name, at: 0) }
        return header
    }

    private static func index(
        of file: any DiskFile, _ table: SeekTable, size: Int, _ name: SegmentName
    ) throws(LogError) -> SegmentIndex {
        let frameSize = Int(table.entries[table.entries.count - 1].compressedByteCount)
        let start = size - SeekTable.byteCount(entries: table.entries.count) - frameSize
        let bytes = try file.bytes(from: start, count: frameSize)
        let index = bytes.withBytes { buffer in
            SkippableFrame.content(of: buffer, magic: SegmentIndex.frameMagic).flatMap {
                SegmentIndex($0)
            }
        }
        let frameCount = table.entries.count { $0.contentByteCount > 0 }
        guard let index, index.frames.count == frameCount else {
            throw damage("index", name, at: start)
        }
        return index
    }

    private static func damage(_ part: String, _ name: SegmentName, at offset: Int) -> LogError {
        LogError(.corrupt, "the sealed segment's \(part) is damaged", name, at: offset)
    }
}
