/// A check over all history up to one batch.
///
///     check(0) = XXH64(store id)
///     check(n) = XXH64(check(n - 1) ‖ XXH64(batch n))      both little-endian, seed 0
///
/// Two logs with the same check at the same sequence hold the same batches, so a checkpoint,
/// a copy or a follower can tell "same sequence, other history" by comparing 8 bytes. It is
/// no cryptographic proof: whoever wants to deceive can.
package struct ChainHash: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The check of a store that has no batch yet.
    package init(beginning storeID: StoreID) {
        rawValue = XXH64.hash(storeID.bytes)
    }

    /// The check after a further batch whose bytes hash to `hash`.
    package func advanced(by hash: UInt64) -> ChainHash {
        var words = (rawValue.littleEndian, hash.littleEndian)
        return withUnsafeBytes(of: &words) { ChainHash(rawValue: XXH64.hash($0)) }
    }
}

extension ChainHash: CustomStringConvertible {
    package var description: String { rawValue.digits(16, radix: 16) }
}
