import SkyrosDisk
import SkyrosLog

/// Writes a run: keys in order, each with its versions.
///
/// The file is written while it grows, and synced in between: a sync of all at the end would make
/// those of the log wait.
struct RunWriter: ~Copyable {
    /// The content of a frame, at least: a question decompresses one for each run.
    static let frameBytes = 8 << 10
    /// The bytes between two writes, each with a sync.
    private static let pieceBytes = 1 << 20

    private let name: RunName
    private let disk: any Disk
    private let file: any DiskFile
    private var writtenBytes = 0
    private var frames: FrameFileWriter
    private var items = RunFrames(frameBytes: frameBytes)

    /// Creates the file under a temporary name.
    init(_ header: RunHeader, on disk: any Disk) throws {
        let temporary = RunName(header.sequences, .temporary).path
        let frames = try FrameFileWriter(
            header: header.bytes, path: temporary, effort: .low)
        let file = try disk.open(temporary, .create)
        (self.frames, self.file, self.disk) = (frames, file, disk)
        name = RunName(header.sequences)
    }

    /// Adds versions of a key, see `RunFrames`.
    mutating func append(_ key: HistoryKey, _ versions: UnsafeRawBufferPointer) throws {
        try key.bytes.withUnsafeBytes { try append($0, versions) }
    }

    /// The same of the bytes of a key.
    mutating func append(
        _ key: UnsafeRawBufferPointer, _ versions: UnsafeRawBufferPointer
    ) throws {
        try items.append(key, versions) { try frames.append($0) }
        if frames.bytes.count >= Self.pieceBytes { try write() }
    }

    private mutating func write() throws {
        let bytes = frames.take()
        try bytes.withBytes { bytes throws(DiskError) in
            try file.write(bytes, at: writtenBytes)
        }
        try file.sync()
        writtenBytes += bytes.count
    }

    /// Ends the file, and gives it its name, durably.
    consuming func finish() throws -> RunName {
        let index = try items.finish { try frames.append($0) }
        frames.finish(index: index.bytes)
        try write()
        try file.close()
        try disk.rename(RunName(name.sequences, .temporary).path, to: name.path)
        try disk.syncDirectory(.history)
        return name
    }
}
