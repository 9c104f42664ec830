package import SkyrosDisk

/// The random identity of a store, which is in each of its files.
package struct StoreID: Hashable, Sendable {
    package static let byteCount = 16
    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    package init(from entropy: any Entropy) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: entropy.next())
        bytes.append(littleEndian: entropy.next())
        self.bytes = bytes
    }
}

extension StoreID: CustomStringConvertible {
    package var description: String { bytes.hexDigits }
}

extension StoreID {
    /// The store that most segments name; of those that equally many name, the first.
    ///
    /// - Parameter headers: in the order of the segments.
    static func prevailing(in headers: some Sequence<SegmentHeader>) -> StoreID? {
        var counts: [StoreID: (count: Int, rank: Int)] = [:]
        for (rank, header) in headers.enumerated() {
            counts[header.storeID, default: (0, rank)].count += 1
        }
        return counts.max { ($0.value.count, -$0.value.rank) < ($1.value.count, -$1.value.rank) }?
            .key
    }
}
