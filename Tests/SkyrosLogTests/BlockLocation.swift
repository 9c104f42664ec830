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
