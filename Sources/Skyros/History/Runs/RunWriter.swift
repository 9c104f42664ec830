import SkyrosDisk
import SkyrosLog

/// Writes a run: keys in order, each with its versions.
///
/// A frame is a sequence of items of CBOR, each an array of an entity, an id, and a byte string
/// with the versions as another sequence. What is longer than a frame is cut to several items.
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
    private var index = RunIndex()
    private var hashes: [UInt64] = []
    private var lastKey: HistoryKey?
    private var keyBytes: [UInt8] = []
    /// The items of the next frame.
    private var content: CBORWriter

    /// Creates the file under a temporary name.
    init(_ header: RunHeader, on disk: any Disk) throws {
        let temporary = RunName(header.sequences, .temporary).path
        let frames = try FrameFileWriter(header: header.bytes, path: temporary)
        let file = try disk.open(temporary, .create)
        (self.frames, self.file, self.disk) = (frames, file, disk)
        name = RunName(header.sequences)
        content = CBORWriter(capacity: 2 * Self.frameBytes)
    }

    /// Adds versions of a key, items of CBOR, oldest first. The key follows those before, or is the
    /// last one again, with later versions.
    mutating func append(_ key: HistoryKey, _ versions: UnsafeRawBufferPointer) throws {
        if key != lastKey {
            lastKey = key
            keyBytes = key.bytes
            hashes.append(XXH64.hash(keyBytes))
        }
        var start = 0
        while start < versions.count {
            let (end, first) = try Self.piece(of: versions, from: start)
            if content.count == 0 { index.appendFrame(keyBytes, from: first) }
            content.appendArrayHead(3)
            content.append(raw: keyBytes)
            content.append(bytes: UnsafeRawBufferPointer(rebasing: versions[start..<end]))
            if content.count >= Self.frameBytes { try endFrame() }
            start = end
        }
    }

    /// The versions from an offset on that fit a frame, or one larger: their end, and the event of
    /// the first.
    private static func piece(
        of bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(CBORError) -> (end: Int, first: UInt64) {
        var reader = CBORReader(bytes, at: start)
        let first = try RecordVersion.skipSequence(&reader)
        var end = reader.offset
        while !reader.isAtEnd {
            _ = try RecordVersion.skipSequence(&reader)
            if reader.offset - start > frameBytes { break }
            end = reader.offset
        }
        return (end, first)
    }

    private mutating func endFrame() throws {
        guard content.count > 0 else { return }
        try frames.append(content.array)
        content.removeAll(keepingCapacityUpTo: 4 * Self.frameBytes)
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
        try endFrame()
        var filter = RunFilter(keyCount: hashes.count)
        for hash in hashes { filter.insert(hash) }
        index.filter = filter
        frames.finish(index: index.bytes)
        try write()
        try file.close()
        try disk.rename(RunName(name.sequences, .temporary).path, to: name.path)
        try disk.syncDirectory(.history)
        return name
    }
}
