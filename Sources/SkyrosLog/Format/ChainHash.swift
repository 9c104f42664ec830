/// A hash over all batches of a log up to one of them.
///
///     chainHash(0) = XXH64(store ID)
///     chainHash(n) = XXH64(chainHash(n - 1) ‖ XXH64(batch n))      both little-endian, seed 0
///
/// Two logs with the same chain hash at the same sequence hold the same batches. So 8 bytes show
/// whether a checkpoint, a copy or a follower belongs to this history. It is not cryptographic:
/// a forger can produce any value.
package struct ChainHash: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The chain hash of an empty log.
    package init(beginning storeID: StoreID) {
        rawValue = XXH64.hash(storeID.bytes)
    }

    /// The chain hash after one more batch, whose bytes hash to `hash`.
    package func advanced(by hash: UInt64) -> ChainHash {
        var words = (rawValue.littleEndian, hash.littleEndian)
        return withUnsafeBytes(of: &words) { ChainHash(rawValue: XXH64.hash($0)) }
    }
}

extension ChainHash: CustomStringConvertible {
    package var description: String { rawValue.digits(16, radix: 16) }
}
