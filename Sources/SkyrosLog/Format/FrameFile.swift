package import SkyrosDisk

/// The frames of a file: a standard zstd file of independent frames between a header and an index.
///
/// | frame | content |
/// |---|---|
/// | skippable, 0x184D2A50 | the header |
/// | zstd frames | the content |
/// | skippable, 0x184D2A51 | the index |
/// | skippable, 0x184D2A5E | `SeekTable` |
///
/// Sealed segments, floors and the runs of the history are such files.
package struct FrameFile: Sendable {
    package struct Frame: Sendable {
        let offset: Int
        let compressedByteCount: Int
        package let contentByteCount: Int
    }

    static let headerMagic: UInt32 = 0x184D_2A50
    static let indexMagic: UInt32 = 0x184D_2A51

    let path: DiskPath
    /// What errors call the file.
    let what: String
    /// The frames with content.
    package let frames: [Frame]
    /// Whether a later version has put further frames into the file.
    let hasUnknownFrames: Bool
    private let headerByteCount: Int
    /// Where the frame of the index begins.
    let indexOffset: Int
    let indexByteCount: Int

    /// Reads the seek table of `file`, which has `byteCount` bytes.
    ///
    /// - Throws: `LogError` with `.corrupt` if it is damaged.
    package init(
        _ file: any DiskFile, byteCount: Int, path: DiskPath, as what: String
    ) throws(LogError) {
        self.path = path
        self.what = what
        let footerStart = max(0, byteCount - SeekTable.footerByteCount)
        let footer = try file.bytes(from: footerStart, count: SeekTable.footerByteCount)
        guard let count = footer.withBytes({ SeekTable.entryCount(footer: $0) }),
            count >= 2, SeekTable.byteCount(entries: count) <= byteCount
        else { throw Self.damage("seek table", of: what, path, at: footerStart) }
        let start = byteCount - SeekTable.byteCount(entries: count)
        let bytes = try file.bytes(from: start, count: byteCount - start)
        guard let table = bytes.withBytes({ SeekTable($0) }),
            table.entries.reduce(0, { $0 + Int($1.compressedByteCount) }) == start,
            table.entries[0].contentByteCount == 0
        else { throw Self.damage("seek table", of: what, path, at: start) }
        headerByteCount = Int(table.entries[0].compressedByteCount)
        var offset = headerByteCount
        var frames: [Frame] = []
        for entry in table.entries[1..<(count - 1)] {
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
        hasUnknownFrames = count != frames.count + 2
        indexOffset = offset
        indexByteCount = Int(table.entries[count - 1].compressedByteCount)
    }

    /// Reads the content of the header's frame.
    package func header(in file: any DiskFile) throws(LogError) -> [UInt8] {
        let bytes = try file.bytes(from: 0, count: headerByteCount)
        let content = bytes.withBytes {
            SkippableFrame.content(of: $0, magic: Self.headerMagic).map { [UInt8]($0) }
        }
        guard let content else { throw damage("header", at: 0) }
        return content
    }

    /// Reads the content of the index's frame.
    package func index(in file: any DiskFile) throws(LogError) -> [UInt8] {
        let bytes = try file.bytes(from: indexOffset, count: indexByteCount)
        let content = bytes.withBytes {
            SkippableFrame.content(of: $0, magic: Self.indexMagic).map { [UInt8]($0) }
        }
        guard let content else { throw damage("index", at: indexOffset) }
        return content
    }

    /// Reads and decompresses a frame.
    ///
    /// - Throws: `LogError` with `.corrupt` if it is not what was written.
    package func content(
        ofFrame number: Int, in file: any DiskFile, contentBytesMax: Int
    ) throws(LogError) -> [UInt8] {
        let frame = frames[number]
        let bytes = try file.bytes(from: frame.offset, count: frame.compressedByteCount)
        do throws(Zstd.Failure) {
            return try bytes.withBytes { bytes throws(Zstd.Failure) in
                try Zstd.content(
                    of: bytes, byteCount: frame.contentByteCount, byteCountMax: contentBytesMax)
            }
        } catch {
            let why = "a frame of \(path) cannot be decompressed: \(error)"
            throw LogError(.corrupt, why, in: path, at: frame.offset)
        }
    }

    func damage(_ part: String, at offset: Int) -> LogError {
        Self.damage(part, of: what, path, at: offset)
    }

    private static func damage(
        _ part: String, of what: String, _ path: DiskPath, at offset: Int
    ) -> LogError {
        LogError(.corrupt, "the \(what)'s \(part) is damaged", in: path, at: offset)
    }
}

/// Composes a `FrameFile`, frame by frame.
package struct FrameFileWriter {
    /// A level of zstd's compression.
    package enum Effort: Sendable {
        /// For what is kept: zstd's own default. Measured on events, higher levels cost several
        /// times the processor for a few percent.
        case usual
        /// For what can be made again: half the processor's time of `usual`, and 0 to 2 % more
        /// bytes, measured on runs of the history.
        case low

        var level: Int32 {
            switch self {
            case .usual: 3
            case .low: -1
            }
        }
    }

    private let path: DiskPath
    private let compressor: Zstd.Compressor
    private var table = SeekTable()
    /// What was composed and not taken yet.
    package private(set) var bytes: [UInt8]
    /// The number of frames with content.
    package private(set) var frameCount = 0

    /// - Throws: `LogError` with `.io` if there is no memory.
    package init(
        header: [UInt8], path: DiskPath, effort: Effort = .usual
    ) throws(LogError) {
        guard let compressor = Zstd.Compressor(effort) else {
            throw LogError(.io, "there is no memory to compress \(path)", in: path)
        }
        self.compressor = compressor
        self.path = path
        bytes = SkippableFrame.bytes(magic: FrameFile.headerMagic, content: header)
        table.append(frame: bytes, content: [])
    }

    /// Appends a frame with this content, which is not empty.
    package mutating func append(_ content: [UInt8]) throws(LogError) {
        do throws(Zstd.Failure) {
            let frame = try compressor.frame(content)
            table.append(frame: frame, content: content)
            bytes += frame
            frameCount += 1
        } catch {
            throw LogError(.io, "a frame of \(path) cannot be compressed: \(error)", in: path)
        }
    }

    /// Appends the index and the seek table, which end the file.
    package mutating func finish(index: [UInt8]) {
        let frame = SkippableFrame.bytes(magic: FrameFile.indexMagic, content: index)
        table.append(frame: frame, content: [])
        bytes += frame
        bytes += table.bytes
    }

    /// Takes the bytes that were composed, to write them.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
