package import Foundation

extension CBORWriter {
    // MARK: Heads

    /// The head of an item of `type`: its first byte and its argument in the fewest bytes.
    @inline(__always)
    package mutating func appendHead(_ type: CBORType, _ argument: UInt64) {
        reserve(9)
        storeHead(type, argument)
    }

    /// The head of an array; `count` items must follow.
    package mutating func appendArrayHead(_ count: Int) {
        appendHead(.array, UInt64(count))
    }

    /// The head of a map; `count` keys, in canonical order, each with its value, must follow.
    package mutating func appendMapHead(_ count: Int) {
        appendHead(.map, UInt64(count))
    }

    /// A tag; one item must follow.
    package mutating func appendTag(_ tag: UInt64) {
        appendHead(.tag, tag)
    }

    // MARK: Simple values

    package mutating func appendNull() {
        reserve(1)
        store(CBORFormat.Byte.null)
    }

    package mutating func append(_ value: Bool) {
        reserve(1)
        store(value ? CBORFormat.Byte.true : CBORFormat.Byte.false)
    }

    // MARK: Integers

    @inline(__always)
    package mutating func append(_ value: Int64) {
        if value >= 0 {
            appendHead(.unsigned, UInt64(bitPattern: value))
        } else {
            appendHead(.negative, UInt64(bitPattern: ~value))
        }
    }

    @inline(__always)
    package mutating func append(_ value: UInt64) {
        appendHead(.unsigned, value)
    }

    /// An integer of any size up to 128 bits; beyond 64 bits it becomes a bignum.
    package mutating func append(_ value: Int128) {
        if value >= 0 {
            append(UInt128(value))
        } else {
            append(magnitude: UInt128(~value), .negative, CBORFormat.Tag.negativeBignum)
        }
    }

    /// An integer of any size up to 128 bits; beyond 64 bits it becomes a bignum.
    package mutating func append(_ value: UInt128) {
        append(magnitude: value, .unsigned, CBORFormat.Tag.positiveBignum)
    }

    /// The negative of a positive integer that may exceed the range of `Int128`.
    mutating func appendNegated(_ magnitude: UInt128) {
        append(magnitude: magnitude - 1, .negative, CBORFormat.Tag.negativeBignum)
    }

    private mutating func append(magnitude: UInt128, _ type: CBORType, _ tag: UInt64) {
        if let short = UInt64(exactly: magnitude) {
            appendHead(type, short)
            return
        }
        let size = 16 - magnitude.leadingZeroBitCount / 8
        appendTag(tag)
        appendHead(.bytes, UInt64(size))
        reserve(size)
        for index in (0..<size).reversed() {
            store(UInt8(truncatingIfNeeded: magnitude >> (8 * UInt128(index))))
        }
    }

    // MARK: Floats

    /// A float in the shortest of the three widths that keeps its value; NaN is always f97e00.
    package mutating func append(_ value: Double) {
        let single = Float(value)
        if Double(single).bitPattern == value.bitPattern || value.isNaN {
            append(single)
        } else {
            reserve(9)
            store(CBORFormat.Byte.double)
            store(bigEndian: value.bitPattern)
        }
    }

    /// A float in the shortest of the three widths that keeps its value; NaN is always f97e00.
    package mutating func append(_ value: Float) {
        reserve(5)
        if value.isNaN {
            store(CBORFormat.Byte.half)
            store(bigEndian: 0x7E00 as UInt16)
        } else if let half = HalfFloat.bits(exactly: value) {
            store(CBORFormat.Byte.half)
            store(bigEndian: half)
        } else {
            store(CBORFormat.Byte.single)
            store(bigEndian: value.bitPattern)
        }
    }

    // MARK: Strings

    /// Text, as it is: no normalization. O(n).
    package mutating func append(text: String) {
        let stored: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
            append(utf8: UnsafeRawBufferPointer(utf8))
        }
        if stored == nil {
            // A string bridged from Objective-C may have no contiguous UTF-8.
            let utf8 = [UInt8](text.utf8)
            utf8.withUnsafeBytes { append(utf8: $0) }
        }
    }

    /// A text literal. O(n).
    @inline(__always)
    package mutating func append(text: StaticString) {
        append(utf8: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Text given by its UTF-8, which must be valid. O(n).
    @inline(__always)
    package mutating func append(utf8: UnsafeRawBufferPointer) {
        reserve(9 + utf8.count)
        storeHead(.text, UInt64(utf8.count))
        store(utf8)
    }

    /// A byte string. O(n).
    package mutating func append(bytes: UnsafeRawBufferPointer) {
        reserve(9 + bytes.count)
        storeHead(.bytes, UInt64(bytes.count))
        store(bytes)
    }

    /// A byte string. O(n).
    package mutating func append(bytes: [UInt8]) {
        bytes.withUnsafeBytes { append(bytes: $0) }
    }

    /// Appends bytes that are CBOR already, unchecked. O(n).
    package mutating func append(raw bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        store(bytes)
    }

    /// Appends bytes that are CBOR already, unchecked. O(n).
    package mutating func append(raw bytes: [UInt8]) {
        bytes.withUnsafeBytes { append(raw: $0) }
    }

    // MARK: Foundation's scalars

    /// A byte string. O(n).
    package mutating func append(_ data: Data) {
        data.withUnsafeBytes { append(bytes: $0) }
    }

    /// Tag 37 and 16 bytes.
    package mutating func append(_ uuid: UUID) {
        reserve(19)
        storeHead(.tag, CBORFormat.Tag.uuid)
        storeHead(.bytes, 16)
        Swift.withUnsafeBytes(of: uuid.uuid) { store($0) }
    }

    /// Tag 55934 and the float that the date holds, bit for bit.
    package mutating func append(_ date: Date) {
        appendTag(CBORFormat.Tag.date)
        append(date.timeIntervalSinceReferenceDate)
    }
}
