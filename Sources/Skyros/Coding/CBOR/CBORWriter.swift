/// A growing buffer of canonical CBOR (RFC 8949, section 4.2.1).
///
///     var writer = CBORWriter()
///     writer.appendMapHead(1)
///     writer.append(text: "name")
///     writer.append(text: "Nonna")
///     let bytes = writer.array
///
/// Heads and numbers are always the shortest. The caller is responsible for the order of a map's
/// keys, as `CBOREncoder` and `FieldValue` are.
///
/// The value owns its memory and cannot be copied, so an append needs no uniqueness check, unlike
/// that of an array.
package struct CBORWriter: ~Copyable {
    /// The first `count` bytes are written.
    private(set) var base: UnsafeMutableRawPointer
    package private(set) var count = 0
    private(set) var capacity: Int

    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit {
        base.deallocate()
    }

    /// Reserves memory for `size` more bytes. Amortised O(1) per byte.
    @inline(__always)
    mutating func reserve(_ size: Int) {
        if capacity - count < size { grow(by: size) }
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        let newCapacity = max(capacity * 2, count + size)
        let newBase = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        newBase.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = newBase
        capacity = newCapacity
    }

    /// Removes the bytes from `newCount` on and keeps their memory. O(1).
    package mutating func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count, "A writer only shrinks by truncation.")
        count = newCount
    }

    /// Removes all bytes; frees memory beyond `capacityMax`. O(1).
    package mutating func removeAll(keepingCapacityUpTo capacityMax: Int = 65_536) {
        count = 0
        if capacity > capacityMax {
            base.deallocate()
            capacity = max(capacityMax, 16)
            base = .allocate(byteCount: capacity, alignment: 16)
        }
    }

    // MARK: The bytes

    /// Calls `body` with the bytes so far, which are valid for the call only. O(1).
    package borrowing func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes so far. O(n).
    package var array: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: base, count: count)) }

    // MARK: Unchecked writing; the caller has reserved the memory

    @inline(__always)
    mutating func store(_ byte: UInt8) {
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    mutating func store<T: FixedWidthInteger & BitwiseCopyable>(bigEndian value: T) {
        base.storeBytes(of: value.bigEndian, toByteOffset: count, as: T.self)
        count += MemoryLayout<T>.size
    }

    @inline(__always)
    mutating func store(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        copyShort(from: source, to: base + count, size: bytes.count)
        count += bytes.count
    }

    /// Adds bytes that were written to reserved memory directly.
    @inline(__always)
    mutating func advance(by size: Int) {
        assert(count + size <= capacity)
        count += size
    }

    @inline(__always)
    mutating func storeHead(_ type: CBORType, _ argument: UInt64) {
        let major = type.rawValue << 5
        if argument < 24 {
            store(major | UInt8(truncatingIfNeeded: argument))
        } else {
            storeLongHead(major, argument)
        }
    }

    private mutating func storeLongHead(_ major: UInt8, _ argument: UInt64) {
        if argument <= 0xFF {
            store(major | 24)
            store(UInt8(truncatingIfNeeded: argument))
        } else if argument <= 0xFFFF {
            store(major | 25)
            store(bigEndian: UInt16(truncatingIfNeeded: argument))
        } else if argument <= 0xFFFF_FFFF {
            store(major | 26)
            store(bigEndian: UInt32(truncatingIfNeeded: argument))
        } else {
            store(major | 27)
            store(bigEndian: argument)
        }
    }
}

// A writer is the only owner of its memory, so it may move to another thread.
extension CBORWriter: @unchecked Sendable {}
