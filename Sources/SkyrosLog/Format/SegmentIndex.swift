/// The content of a sealed segment's last frame but one: where its batches are, and its end.
///
///      0  8  number of batches
///      8  8  chain hash through the last batch
///     16  8  time of the last batch, in microseconds since 1970
///     24  4  number of frames with content, n      28  4  zero
///     32     n times: sequence of the frame's first batch (8), chain hash before it (8)
///      …  8  XXH64 of all bytes before
struct SegmentIndex: Equatable, Sendable {
    struct Frame: Equatable, Sendable {
        var firstSequence: UInt64
        var chainHashBefore: ChainHash
    }

    static let frameMagic: UInt32 = 0x184D_2A51
    private static let fixedByteCount = 32

    var batchCount: UInt64 = 0
    var chainHashAfter: ChainHash
    var timeAfter: Int64
    var frames: [Frame] = []

    static func byteCount(frames: Int) -> Int {
        fixedByteCount + frames * 16 + 8
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
    /// Reads an index; nil if the bytes are none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount(frames: 0),
            XXH64.hash(bytes.slice(0, bytes.count - 8)) == bytes.integer(at: bytes.count - 8)
        else { return nil }
        let frameCount = Int(bytes.integer(at: 24, as: UInt32.self))
        guard bytes.count == Self.byteCount(frames: frameCount) else { return nil }
        batchCount = bytes.integer(at: 0)
        chainHashAfter = ChainHash(rawValue: bytes.integer(at: 8))
        timeAfter = bytes.integer(at: 16)
        frames = (0..<frameCount).map { index in
            let offset = Self.fixedByteCount + index * 16
            return Frame(
                firstSequence: bytes.integer(at: offset),
                chainHashBefore: ChainHash(rawValue: bytes.integer(at: offset + 8)))
        }
    }
}
