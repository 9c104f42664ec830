import SkyrosLog

/// The location of a block in an open segment, by the documented format (docs/log-format.md): the
/// code of the log is not used.
struct BlockLocation {
    /// The block with its padding.
    let range: Range<Int>
    let payloadEnd: Int
    let isBatch: Bool

    /// The blocks from the start on, as far as they follow each other.
    static func all(in bytes: [UInt8]) -> [BlockLocation] {
        var blocks: [BlockLocation] = []
        var offset = 96
        while offset + 48 <= bytes.count, bytes[offset] == 0xB5 {
            let size = (0..<4).reduce(0) { $0 | Int(bytes[offset + 4 + $1]) << (8 * $1) }
            let end = offset + (48 + size + 7) / 8 * 8
            blocks.append(
                BlockLocation(
                    range: offset..<end, payloadEnd: offset + 48 + size,
                    isBatch: bytes[offset + 1] == 1))
            offset = end
        }
        return blocks
    }
}

extension [UInt8] {
    /// Makes the checksums of the block at `start` match its bytes again.
    mutating func rehashBlock(at start: Int, salt: UInt64) {
        let size = (0..<4).reduce(0) { $0 | Int(self[start + 4 + $1]) << (8 * $1) }
        let payload = XXH64.hash(Array(self[start + 48..<start + 48 + size]))
        replaceSubrange(start + 16..<start + 24, with: payload.littleEndianBytes)
        let header = XXH64.hash(Array(self[start..<start + 40]), seed: salt)
        replaceSubrange(start + 40..<start + 48, with: header.littleEndianBytes)
    }
}

extension UInt64 {
    var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
