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
