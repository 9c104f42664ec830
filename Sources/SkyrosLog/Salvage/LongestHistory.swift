/// The longest history in what can be read of a log: extents from a beginning on, each of which
/// continues the one before, as the chain hashes show.
///
/// Files of different histories may have the same sequences. Then the history counts that more
/// files continue; among equals, the one with more batches.
struct LongestHistory {
    /// Where an extent begins.
    private struct Start: Hashable {
        let sequence: UInt64
        let chainHash: ChainHash
    }

    /// The best way to continue from an extent.
    private struct Way {
        let next: Int?
        /// How often it leads from one file to the next.
        let borderCount: Int
        let end: UInt64

        func isBetter(than other: Way) -> Bool {
            (borderCount, end) > (other.borderCount, other.end)
        }
    }

    private let extents: [BatchExtent]
    private var ways: [Way?]
    /// For each start, the extent with the best way.
    private var best: [Start: Int] = [:]

    /// Finds the best way from each extent. O(extents).
    ///
    /// - Parameters:
    ///   - extents: in the order of their first batches.
    ///   - end: extents that begin here or later do not count.
    init(of extents: [BatchExtent], before end: UInt64) {
        self.extents = extents
        ways = Array(repeating: nil, count: extents.count)
        for index in extents.indices.reversed() where extents[index].sequences.lowerBound < end {
            add(index)
        }
    }

    /// The extents after a batch: that of a floor, or none, with the chain hash of the beginning.
    func extents(after head: LogHead) -> [BatchExtent] {
        var found: [BatchExtent] = []
        var next = best[Start(sequence: head.sequence + 1, chainHash: head.chainHash)]
        while let index = next {
            found.append(extents[index])
            next = ways[index]?.next
        }
        return found
    }

    private mutating func add(_ index: Int) {
        let extent = extents[index]
        guard let chainHash = extent.chainHashBefore else { return }
        let way = way(from: extent)
        ways[index] = way
        let start = Start(sequence: extent.sequences.lowerBound, chainHash: chainHash)
        // Among equals the first in the order of the extents counts.
        if let other = best[start].flatMap({ ways[$0] }), other.isBetter(than: way) { return }
        best[start] = index
    }

    private func way(from extent: BatchExtent) -> Way {
        let last = extent.sequences.upperBound
        let next =
            last == .max
            ? nil : best[Start(sequence: last + 1, chainHash: extent.chainHashAfter)]
        guard let next, let rest = ways[next] else {
            return Way(next: nil, borderCount: 0, end: last)
        }
        let isBorder = extents[next].segment != extent.segment
        return Way(next: next, borderCount: rest.borderCount + (isBorder ? 1 : 0), end: rest.end)
    }
}
