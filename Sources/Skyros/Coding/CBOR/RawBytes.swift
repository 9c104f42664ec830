import Foundation

/// Copies `size` bytes: up to 16 without a call, as two words that may overlap.
@inline(__always)
func copyShort(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, size: Int) {
    switch size {
    case 8...16: copyEnds(UInt64.self, from: source, to: target, size: size)
    case 4..<8: copyEnds(UInt32.self, from: source, to: target, size: size)
    case 2..<4: copyEnds(UInt16.self, from: source, to: target, size: size)
    case 1: target.storeBytes(of: source.load(as: UInt8.self), as: UInt8.self)
    default: target.copyMemory(from: source, byteCount: size)
    }
}

@inline(__always)
private func copyEnds<T: BitwiseCopyable>(
    _ type: T.Type, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, size: Int
) {
    let end = size - MemoryLayout<T>.size
    let first = source.loadUnaligned(as: type)
    let last = source.loadUnaligned(fromByteOffset: end, as: type)
    target.storeBytes(of: first, as: type)
    target.storeBytes(of: last, toByteOffset: end, as: type)
}

extension UnsafeRawBufferPointer {
    /// The first eight bytes as a big-endian number; zeros where there are fewer. O(1).
    @inline(__always)
    var leadingWord: UInt64 {
        func load<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, _ at: Int) -> UInt64 {
            UInt64(T(bigEndian: loadUnaligned(fromByteOffset: at, as: type)))
        }
        switch count {
        case 8...: return load(UInt64.self, 0)
        case 4...:
            // Two words that overlap; both have the same bytes there.
            return load(UInt32.self, 0) << 32 | load(UInt32.self, count - 4) << shift(count)
        case 1...:
            let middle = count / 2
            return load(UInt8.self, 0) << 56 | load(UInt8.self, middle) << shift(middle + 1)
                | load(UInt8.self, count - 1) << shift(count)
        default: return 0
        }
    }

    /// The eight bytes from `start` on as a big-endian number; zeros where there are fewer. O(1).
    @inline(__always)
    func word(from start: Int) -> UInt64 {
        let left = count - start
        if left <= 0 { return 0 }
        guard count >= 8 else {
            return UnsafeRawBufferPointer(rebasing: self[start...]).leadingWord
        }
        // The last eight bytes, if fewer are left.
        let offset = Swift.min(start, count - 8)
        let word = UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        return word << UInt64(truncatingIfNeeded: 8 * (start - offset))
    }

    /// The distance of the byte before `end` from the right end of an eight-byte word.
    @inline(__always)
    private func shift(_ end: Int) -> UInt64 { UInt64(truncatingIfNeeded: 8 * (8 - end)) }

    /// Whether the bytes in `range` are those of `other`. O(n).
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
        guard range.count == other.count else { return false }
        guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
        return memcmp(base + range.lowerBound, otherBase, other.count) == 0
    }

    /// The number of leading bytes that are the same in `other`. O(n).
    func commonPrefixCount(_ other: UnsafeRawBufferPointer) -> Int {
        let end = Swift.min(count, other.count)
        var index = 0
        while index + 8 <= end {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let differing = word ^ other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if differing != 0 {
                return index + UInt64(littleEndian: differing).trailingZeroBitCount / 8
            }
            index += 8
        }
        while index < end, self[index] == other[index] { index += 1 }
        return index
    }

    /// Whether no byte has its high bit set. O(n).
    @inline(__always)
    var isASCII: Bool {
        var index = 0
        var bits: UInt64 = 0
        while index + 8 <= count {
            bits |= loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            bits |= UInt64(self[index])
            index += 1
        }
        return bits & Self.highBits == 0
    }

    /// Whether all bytes are ASCII, and neither 0 nor 1. O(n).
    @inline(__always)
    var isPlain: Bool {
        var index = 0
        while index + 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // Of bytes without high bits: adding 7E sets the high bit of all but 0 and 1.
            let sums = word &+ 0x7E7E_7E7E_7E7E_7E7E
            if word & Self.highBits != 0 || sums & Self.highBits != Self.highBits { return false }
            index += 8
        }
        while index < count {
            if self[index] < 2 || self[index] > 0x7F { return false }
            index += 1
        }
        return true
    }

    private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Negative, zero or positive, as these bytes are less than, equal to or greater than `other`:
    /// by the first byte that differs, and otherwise the shorter first. O(n).
    func compare(_ other: UnsafeRawBufferPointer) -> Int {
        if let base = baseAddress, let otherBase = other.baseAddress {
            let order = memcmp(base, otherBase, Swift.min(count, other.count))
            if order != 0 { return Int(order) }
        }
        return count - other.count
    }
}

extension String {
    /// The text with these bytes as its UTF-8, or nil if they are not valid. O(n).
    ///
    /// Several times faster than `String(validating:as:)` for short texts: bytes that the standard
    /// library's repairing initializer returns unchanged were valid.
    init?(validUTF8 bytes: UnsafeRawBufferPointer) {
        if bytes.isASCII {
            self = String(unsafeUninitializedCapacity: bytes.count) { target in
                if let source = bytes.baseAddress, let base = target.baseAddress {
                    copyShort(from: source, to: base, size: bytes.count)
                }
                return bytes.count
            }
            return
        }
        self = String(decoding: bytes, as: UTF8.self)
        let isUnchanged = withUTF8Bytes { $0.equals(bytes, at: 0..<$0.count) }
        if !isUnchanged { return nil }
    }

    /// Calls `body` with the UTF-8 of the string, which becomes contiguous if it was not.
    @inline(__always)
    mutating func withUTF8Bytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        var result: Result<R, E>?
        withUTF8 { utf8 in
            result = Result { () throws(E) in try body(UnsafeRawBufferPointer(utf8)) }
        }
        guard let result else { preconditionFailure("withUTF8 calls its closure once.") }
        return try result.get()
    }
}

/// Whether UTF-8 in memory equals a literal. O(n).
func ~= (text: StaticString, utf8: UnsafeRawBufferPointer) -> Bool {
    guard text.utf8CodeUnitCount == utf8.count, let base = utf8.baseAddress else { return false }
    return memcmp(text.utf8Start, base, utf8.count) == 0
}
