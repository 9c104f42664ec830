/// Says of a key whether a run may hold it: a Bloom filter in blocks of a cache line.
///
/// With ten bits for each key it errs for about one key of a hundred, and never says no of a key
/// that was inserted. Source: F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient
/// Bloom Filters", WEA 2007.
struct RunFilter: Equatable, Sendable {
    static let bitsPerKey = 10
    private static let blockBits = 512
    private static let blockBytes = blockBits / 8
    private static let bitsPerBlock = 7

    private(set) var bytes: [UInt8]

    /// An empty filter for this number of keys.
    init(keyCount: Int) {
        let blocks = (keyCount * Self.bitsPerKey + Self.blockBits - 1) / Self.blockBits
        bytes = [UInt8](repeating: 0, count: max(1, blocks) * Self.blockBytes)
    }

    /// A filter that was written; nil if the bytes cannot be one.
    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: Self.blockBytes) else { return nil }
        self.bytes = bytes
    }

    mutating func insert(_ hash: UInt64) {
        _ = Self.forEachBit(of: hash, in: bytes.count) { byte, mask in
            bytes[byte] |= mask
            return true
        }
    }

    /// Whether a key with this hash may have been inserted.
    func mayContain(_ hash: UInt64) -> Bool {
        Self.forEachBit(of: hash, in: bytes.count) { byte, mask in bytes[byte] & mask != 0 }
    }

    /// Calls `body` with the bits of a hash until it returns false; returns whether it never did.
    private static func forEachBit(
        of hash: UInt64, in byteCount: Int, _ body: (Int, UInt8) -> Bool
    ) -> Bool {
        let blockCount = UInt64(byteCount / blockBytes)
        let block = Int(((hash >> 32) &* blockCount) >> 32) * blockBytes
        // Another number of the same hash: the block was chosen by its high bits.
        var bits = hash &* 0x9E37_79B9_7F4A_7C15
        for _ in 0..<bitsPerBlock {
            let bit = Int(bits % UInt64(blockBits))
            guard body(block + bit / 8, 1 << UInt8(bit % 8)) else { return false }
            bits >>= 9
        }
        return true
    }
}
