/// What earlier files of a log hold, as far as it matters for the next one: the extents that reach
/// its first batch.
///
/// Files are added in the order of their first batches, so each extent is added and removed once,
/// and a scan of many files takes time proportional to their number.
struct EarlierExtents {
    /// Those that end directly before the next file, or later.
    private(set) var held: [BatchExtent] = []

    mutating func append(_ extents: [BatchExtent]) {
        held += extents
    }

    /// Removes what ends before the batch that precedes `first`, which no later file can continue.
    mutating func advance(to first: UInt64) {
        held.removeAll { $0.sequences.upperBound < first - 1 }
    }

    /// The end of the last extent that holds `first`; nil if none does.
    func lastSequence(beyond first: UInt64) -> UInt64? {
        held.last { $0.sequences.contains(first) }?.sequences.upperBound
    }

    /// The chain hashes through the batch before `first`, one for each extent that ends with it.
    func chainHashes(before first: UInt64) -> [ChainHash] {
        held.filter { $0.sequences.upperBound == first - 1 }.map(\.chainHashAfter)
    }
}
