/// Where a block of an open segment stands, by the format alone (docs/log-format.md): what the
/// log's own code says of its files is not asked.
struct BlockPlace {
    /// The block with its padding.
    let range: Range<Int>
    let payloadEnd: Int
    let isBatch: Bool

    /// The blocks from the beginning on, as far as they follow one another.
    static func all(in bytes: [UInt8]) -> [BlockPlace] {
        var places: [BlockPlace] = []
        var offset = 96
        while offset + 48 <= bytes.count, bytes[offset] == 0xB5 {
            let size = (0..<4).reduce(0) { $0 | Int(bytes[offset + 4 + $1]) << (8 * $1) }
            let end = offset + (48 + size + 7) / 8 * 8
            places.append(
                BlockPlace(
                    range: offset..<end, payloadEnd: offset + 48 + size,
                    isBatch: bytes[offset + 1] == 1))
            offset = end
        }
        return places
    }
}
