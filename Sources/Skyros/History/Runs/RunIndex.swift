import SkyrosLog

/// The end of a run's file: where which records are, and which are not there.
///
/// A map of CBOR, and the XXH64 of it. Source of the layout: docs/history-format.md.
struct RunIndex: Sendable {
    enum Key {
        static let keys: StaticString = "keys"
        static let filter: StaticString = "filter"
        static let frames: StaticString = "frames"
    }

    /// The bytes that `frames` has for a frame: where its first key begins in `keys`, and the first
    /// event of that key's versions in it, as little-endian numbers.
    private static let frameByteCount = 4 + 8

    var filter = RunFilter(keyCount: 0)
    private var keys: [UInt8] = []
    private var frames: [UInt8] = []

    init() {}

    var frameCount: Int { frames.count / Self.frameByteCount }

    /// Adds a frame that begins with versions of `key`.
    mutating func appendFrame(_ key: [UInt8], from first: UInt64) {
        frames.append(littleEndian: UInt32(keys.count))
        frames.append(littleEndian: first)
        keys += key
    }

    /// The order of the first key of a frame relative to another key.
    func compareKey(ofFrame number: Int, to key: HistoryKey) throws(CBORError) -> Int {
        let start = Int(
            frames.withUnsafeBytes {
                $0.integer(at: number * Self.frameByteCount, as: UInt32.self)
            })
        return try keys.withBytes { bytes throws(CBORError) in
            guard start <= bytes.count else { throw CBORError(.truncated, at: start) }
            var reader = CBORReader(bytes, at: start)
            let entity = try reader.readUTF8()
            let order = key.entity.withUnsafeBytes { entity.compare($0) }
            if order != 0 { return order }
            let id = try HistoryKey.readID(&reader)
            guard let id, let other = key.id else {
                return (id == nil ? 0 : 1) - (key.id == nil ? 0 : 1)
            }
            return id == other ? 0 : id < other ? -1 : 1
        }
    }

    /// The first event of the versions with which a frame begins.
    func firstSequence(ofFrame number: Int) -> UInt64 {
        frames.withUnsafeBytes { $0.integer(at: number * Self.frameByteCount + 4) }
    }

    /// The frames that may hold versions of `key`, in order.
    func frames(of key: HistoryKey) throws(CBORError) -> Range<Int> {
        let first = try firstFrame(after: key, orAt: true, from: 0)
        var end = first
        if first < frameCount, try compareKey(ofFrame: first, to: key) == 0 {
            end = try firstFrame(after: key, orAt: false, from: first + 1)
        }
        // The frame before the first that begins with the key may hold its beginning.
        return max(0, first - 1)..<end
    }

    /// The first frame from a number on that begins with a later key than this one, or with this
    /// one.
    private func firstFrame(
        after key: HistoryKey, orAt isKeyIncluded: Bool, from start: Int
    ) throws(CBORError) -> Int {
        var (lower, upper) = (start, frameCount)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            let order = try compareKey(ofFrame: middle, to: key)
            if order > 0 || (order == 0 && isKeyIncluded) {
                upper = middle
            } else {
                lower = middle + 1
            }
        }
        return lower
    }
}

// MARK: - Coding

extension RunIndex {
    var bytes: [UInt8] {
        var writer = CBORWriter(capacity: keys.count + frames.count + filter.bytes.count + 100)
        writer.appendMapHead(3)
        writer.append(text: Key.keys)
        writer.append(bytes: keys)
        writer.append(text: Key.filter)
        writer.append(bytes: filter.bytes)
        writer.append(text: Key.frames)
        writer.append(bytes: frames)
        return HashedBytes.appendingHash(to: writer.array)
    }

    /// Reads an index; nil if the bytes are not one.
    init?(_ bytes: [UInt8]) {
        guard let map = HashedBytes.content(of: bytes),
            let index = try? map.withUnsafeBytes({ try RunIndex(reading: $0) })
        else { return nil }
        self = index
    }

    private init?(reading bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        for _ in 0..<(try reader.readMapHead()) {
            switch try reader.readUTF8() {
            case Key.keys: keys = [UInt8](try reader.readBytes())
            case Key.filter:
                guard let read = RunFilter([UInt8](try reader.readBytes())) else { return nil }
                filter = read
            case Key.frames: frames = [UInt8](try reader.readBytes())
            default: try reader.skipValue()
            }
        }
        guard frames.count.isMultiple(of: Self.frameByteCount) else { return nil }
    }
}
