import SkyrosLog

/// Cuts keys with their versions to frames, and makes the index of these.
///
/// A frame is a sequence of items of CBOR, each an array of an entity, an id, and a byte string
/// with the versions as another sequence. What is longer than a frame is cut to several items.
struct RunFrames: ~Copyable {
    /// The content of a frame, at least.
    private let frameBytes: Int
    private var index = RunIndex()
    private var hashes: [UInt64] = []
    /// The last key.
    private var key: [UInt8] = []
    /// The items of the next frame.
    private var content: CBORWriter

    init(frameBytes: Int) {
        self.frameBytes = frameBytes
        content = CBORWriter(capacity: 2 * frameBytes)
    }

    /// Adds versions of a key, items of CBOR, oldest first. The key follows those before, or is the
    /// last one again, with later versions.
    ///
    /// - Parameters:
    ///   - key: the bytes of a `HistoryKey`.
    ///   - write: writes a frame.
    mutating func append(
        _ key: UnsafeRawBufferPointer, _ versions: UnsafeRawBufferPointer,
        _ write: ([UInt8]) throws -> Void
    ) throws {
        if !self.key.withUnsafeBytes({ key.equals($0, at: key.indices) }) {
            self.key.removeAll(keepingCapacity: true)
            self.key += key
            hashes.append(XXH64.hash(key))
        }
        var start = 0
        while start < versions.count {
            let (end, first) = try piece(of: versions, from: start)
            if content.count == 0 { index.appendFrame(self.key, from: first) }
            content.appendArrayHead(3)
            content.append(raw: key)
            content.append(bytes: UnsafeRawBufferPointer(rebasing: versions[start..<end]))
            if content.count >= frameBytes { try endFrame(write) }
            start = end
        }
    }

    /// The versions from an offset on that fit a frame, or one larger: their end, and the event of
    /// the first.
    private func piece(
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

    private mutating func endFrame(_ write: ([UInt8]) throws -> Void) throws {
        guard content.count > 0 else { return }
        try write(content.array)
        content.removeAll(keepingCapacityUpTo: 4 * frameBytes)
    }

    /// Ends the last frame, and returns the index of all.
    mutating func finish(_ write: ([UInt8]) throws -> Void) throws -> RunIndex {
        try endFrame(write)
        var filter = RunFilter(keyCount: hashes.count)
        for hash in hashes { filter.insert(hash) }
        index.filter = filter
        return index
    }
}
