/// The index of a sealed segment: where its batches are, and where they end. It is the content of
/// the last frame but one.
struct SegmentIndex: Equatable, Sendable {
    struct Frame: Equatable, Sendable {
        var firstSequence: UInt64
        var chainHashBefore: ChainHash
    }

    /// The layout; XXH64 of all bytes before follows the frames. Source: docs/log-format.md.
    enum Offset {
        static let batchCount = 0
        static let chainHashAfter = 8
        /// The time of the last batch, in microseconds since 1970.
        static let timeAfter = 16
        static let frameCount = 24
        static let reserved = 28
        static let frames = 32
    }

    enum FrameOffset {
        static let firstSequence = 0
        static let chainHashBefore = 8
        static let end = 16
    }

    private static let hashByteCount = 8

    var batchCount: UInt64 = 0
    var chainHashAfter: ChainHash
    var timeAfter: Int64
    var frames: [Frame] = []

    static func byteCount(frames: Int) -> Int {
        Offset.frames + frames * FrameOffset.end + hashByteCount
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: batchCount)
        bytes.append(littleEndian: chainHashAfter.rawValue)
        bytes.append(littleEndian: timeAfter)
        bytes.append(littleEndian: UInt32(frames.count))
        bytes.append(littleEndian: UInt32(0))
        for frame in frames {
            bytes.append(littleEndian: frame.firstSequence)
            bytes.append(littleEndian: frame.chainHashBefore.rawValue)
        }
        bytes.append(littleEndian: XXH64.hash(bytes))
        return bytes
    }
}

extension SegmentIndex {
    /// Reads an index; nil if the bytes are not one.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let hashStart = bytes.count - Self.hashByteCount
        guard bytes.count >= Self.byteCount(frames: 0),
            XXH64.hash(bytes.slice(0, hashStart)) == bytes.integer(at: hashStart)
        else { return nil }
        let frameCount = Int(bytes.integer(at: Offset.frameCount, as: UInt32.self))
        // A later minor version may add bytes between the last frame and the hash.
        guard bytes.count >= Self.byteCount(frames: frameCount) else { return nil }
        batchCount = bytes.integer(at: Offset.batchCount)
        chainHashAfter = ChainHash(rawValue: bytes.integer(at: Offset.chainHashAfter))
        timeAfter = bytes.integer(at: Offset.timeAfter)
        frames = (0..<frameCount).map { index in
            let frame = bytes.slice(Offset.frames + index * FrameOffset.end, FrameOffset.end)
            return Frame(
                firstSequence: frame.integer(at: FrameOffset.firstSequence),
                chainHashBefore: ChainHash(
                    rawValue: frame.integer(at: FrameOffset.chainHashBefore)))
        }
    }

    /// The last batch; nil if the numbers of the index contradict each other.
    var lastSequence: UInt64? {
        guard let first = frames.first?.firstSequence, first > 0, batchCount > 0 else { return nil }
        let (last, overflow) = first.addingReportingOverflow(batchCount - 1)
        guard !overflow, last < .max, frames.last?.firstSequence ?? .max <= last,
            zip(frames, frames.dropFirst()).allSatisfy({ $0.firstSequence < $1.firstSequence })
        else { return nil }
        return last
    }
}
