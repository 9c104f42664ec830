// Fixed-width integers of the log's format are little-endian.

extension UnsafeRawBufferPointer {
    /// The integer at `offset`, which the caller has checked to lie within the buffer.
    @inlinable
    package func integer<T: FixedWidthInteger>(at offset: Int, as type: T.Type = T.self) -> T {
        T(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// The offset of the last byte from `start` on that is not zero. O(n), by words.
    func lastNonzero(from start: Int) -> Int? {
        var end = count
        while end - start >= 8, loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == 0 {
            end -= 8
        }
        while end > start {
            end -= 1
            if self[end] != 0 { return end }
        }
        return nil
    }

    /// The bytes from `offset` on, `count` of them, which the caller has checked.
    func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes an integer at `offset`, which the caller has checked to lie within the buffer.
    func store<T: FixedWidthInteger & BitwiseCopyable>(littleEndian value: T, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }
}

extension [UInt8] {
    @inlinable
    package mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
