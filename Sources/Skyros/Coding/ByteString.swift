internal import SkyrosLog

/// An immutable string of bytes, ordered lexicographically; up to 23 bytes are stored inline.
///
/// Ids and index keys are such strings. Most are short: an encoded `UUID` has 19 bytes. The first
/// 23 bytes are three big-endian words, which are compared as integers. Only longer strings
/// allocate memory.
///
///     high word        middle word      low word
///     ┌──────────────┐ ┌──────────────┐ ┌────────────┬──────┐
///     │ bytes 0 … 7  │ │ bytes 8 … 15 │ │ 16 … 22    │ size │   size 0xFF: see `overflow`
///     └──────────────┘ └──────────────┘ └────────────┴──────┘
package struct ByteString: Sendable {
    package static let inlineBytesMax = 23
    private static let overflowMark: UInt64 = 0xFF

    private let high: UInt64
    private let middle: UInt64
    private let low: UInt64
    /// The whole string, if it does not fit inline.
    private let overflow: [UInt8]?

    /// Copies `bytes`. O(n).
    package init(_ bytes: UnsafeRawBufferPointer) {
        let fits = bytes.count <= Self.inlineBytesMax
        high = bytes.word(from: 0)
        middle = bytes.word(from: 8)
        let last = bytes.word(from: 16) & ~0xFF
        low = last | (fits ? UInt64(bytes.count) : Self.overflowMark)
        overflow = fits ? nil : [UInt8](bytes)
    }

    /// Copies `bytes`. O(n).
    package init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { ByteString($0) }
    }

    /// Three bytes and sixteen more, such as an encoded UUID. O(1), without a buffer.
    ///
    /// - Parameters:
    ///   - head: the three bytes as a number.
    ///   - first: the next eight bytes as a big-endian number.
    ///   - last: the last eight bytes as a big-endian number.
    init(head: UInt64, _ first: UInt64, _ last: UInt64) {
        high = head << 40 | first >> 24
        middle = first << 40 | last >> 24
        low = last << 40 | 19
        overflow = nil
    }

    /// The first eight bytes as a big-endian integer, filled up with zeros. O(1).
    package var leadingWord: UInt64 { high }

    /// The number of bytes. O(1).
    package var count: Int { overflow?.count ?? Int(low & 0xFF) }

    /// The bytes as an array. O(n).
    package var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

    /// Calls `body` with the bytes, which are valid for the call only. O(1).
    package func withUnsafeBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        if let overflow {
            return try overflow.withUnsafeBytes(body)
        }
        let words = (high.bigEndian, middle.bigEndian, low.bigEndian)
        let count = Int(low & 0xFF)
        return try Swift.withUnsafeBytes(of: words) { buffer in
            try body(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        }
    }

    /// A well-mixed hash under `seed`; equal strings have equal hashes. O(n) beyond 23 bytes.
    package func hash(seed: UInt64) -> UInt64 {
        if let overflow { return XXH64.hash(overflow, seed: seed) }
        var hash = Self.fold(seed ^ high, 0x9E37_79B9_7F4A_7C15 ^ middle)
        hash = Self.fold(hash ^ low, 0xD1B5_4A32_D192_ED03)
        return hash
    }

    /// The two halves of the 128-bit product, folded by exclusive or (the step of wyhash).
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}

extension ByteString: Hashable {
    package static func == (a: ByteString, b: ByteString) -> Bool {
        guard a.low == b.low, a.high == b.high, a.middle == b.middle else { return false }
        return a.overflow == b.overflow
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(middle)
        hasher.combine(low)
        if let overflow { hasher.combine(overflow) }
    }
}

extension ByteString: Comparable {
    package static func < (a: ByteString, b: ByteString) -> Bool {
        if a.high != b.high { return a.high < b.high }
        if a.middle != b.middle { return a.middle < b.middle }
        if a.overflow == nil, b.overflow == nil { return a.low < b.low }
        if a.low >> 8 != b.low >> 8 { return a.low < b.low }
        return a.withUnsafeBytes { left in
            b.withUnsafeBytes { right in left.lexicographicallyPrecedes(right) }
        }
    }
}
