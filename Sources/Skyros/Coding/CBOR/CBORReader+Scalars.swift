package import Foundation

extension CBORReader {
    // MARK: Simple values

    /// Skips a null if the next item is one.
    @inline(__always)
    package mutating func readNullIfPresent() throws(CBORError) -> Bool {
        guard try peekByte() == CBORFormat.Byte.null else { return false }
        offset += 1
        return true
    }

    package mutating func readBool() throws(CBORError) -> Bool {
        let byte = try peekByte()
        guard byte == CBORFormat.Byte.true || byte == CBORFormat.Byte.false else {
            throw CBORError(.unexpectedType(CBORType(major: byte)), at: offset)
        }
        offset += 1
        return byte == CBORFormat.Byte.true
    }

    // MARK: Integers

    /// An integer of any type that holds it exactly.
    @inline(__always)
    package mutating func readInteger<T: FixedWidthInteger>(
        _ type: T.Type = T.self
    ) throws(CBORError) -> T {
        let start = offset
        let head = try readHead()
        var result: T?
        switch head.type {
        case .unsigned: result = T(exactly: head.argument)
        case .negative: result = T(exactly: head.argument).map { ~$0 }
        case .tag: return try readBignum(head.argument, from: start)
        default:
            offset = start
            throw CBORError(.unexpectedType(head.type), at: start)
        }
        // An unsigned type turns ~n into a large number instead of failing.
        if !T.isSigned, head.type == .negative { result = nil }
        guard let result else { throw CBORError(.doesNotFit, at: start) }
        return result
    }

    private mutating func readBignum<T: FixedWidthInteger>(
        _ tag: UInt64, from start: Int
    ) throws(CBORError) -> T {
        guard tag == CBORFormat.Tag.positiveBignum || tag == CBORFormat.Tag.negativeBignum else {
            offset = start
            throw CBORError(.unexpectedType(.tag), at: start)
        }
        let isNegative = tag == CBORFormat.Tag.negativeBignum
        let argument = try readBignumContent(from: start)
        guard let value = T(exactly: argument), T.isSigned || !isNegative else {
            throw CBORError(.doesNotFit, at: start)
        }
        return isNegative ? ~value : value
    }

    private mutating func readBignumContent(from start: Int) throws(CBORError) -> UInt128 {
        let content = try readContent(.bytes)
        var argument: UInt128 = 0
        for byte in bytes[content] {
            guard argument >> 120 == 0 else { throw CBORError(.doesNotFit, at: start) }
            argument = argument << 8 | UInt128(byte)
        }
        return argument
    }

    /// An integer as its sign and its magnitude, which must fit 128 bits.
    mutating func readSignedMagnitude() throws(CBORError) -> (
        magnitude: UInt128, isNegative: Bool
    ) {
        let start = offset
        let head = try readHead()
        var isNegative = head.type == .negative
        var argument = UInt128(head.argument)
        if head.type == .tag {
            isNegative = head.argument == CBORFormat.Tag.negativeBignum
            guard isNegative || head.argument == CBORFormat.Tag.positiveBignum else {
                throw CBORError(.unexpectedType(.tag), at: start)
            }
            argument = try readBignumContent(from: start)
        } else if head.type != .unsigned, head.type != .negative {
            throw CBORError(.unexpectedType(head.type), at: start)
        }
        let (magnitude, overflow) = argument.addingReportingOverflow(isNegative ? 1 : 0)
        guard !overflow else { throw CBORError(.doesNotFit, at: start) }
        return (magnitude, isNegative)
    }

    // MARK: Floats

    /// A float of any width, or an integer that a `Double` represents exactly.
    @inline(__always)
    package mutating func readDouble() throws(CBORError) -> Double {
        // The most frequent width: most fractions are not short in binary.
        if remaining > 8, bytes[offset] == CBORFormat.Byte.double {
            let bits = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
            offset += 9
            return Double(bitPattern: UInt64(bigEndian: bits))
        }
        return try readAnyDouble()
    }

    private mutating func readAnyDouble() throws(CBORError) -> Double {
        let start = offset
        let head = try readHead()
        switch (head.type, head.detail) {
        case (.simple, 25): return HalfFloat.value(UInt16(truncatingIfNeeded: head.argument))
        case (.simple, 26):
            return Double(Float(bitPattern: UInt32(truncatingIfNeeded: head.argument)))
        case (.simple, 27): return Double(bitPattern: head.argument)
        case (.unsigned, _) where head.argument >> 53 == 0: return Double(head.argument)
        case (.unsigned, _), (.negative, _), (.tag, _):
            offset = start
            let integer = try readInteger(Int128.self)
            guard let double = Double(exactly: integer) else {
                throw CBORError(.doesNotFit, at: start)
            }
            return double
        default:
            offset = start
            throw CBORError(.unexpectedType(head.type), at: start)
        }
    }

    /// A number that a `Float` represents exactly, or NaN.
    package mutating func readFloat() throws(CBORError) -> Float {
        let start = offset
        let double = try readDouble()
        let single = Float(double)
        guard Double(single) == double || double.isNaN else {
            throw CBORError(.doesNotFit, at: start)
        }
        return single
    }

    // MARK: Strings

    /// The UTF-8 of a text, unchecked, valid as long as the reader's memory. O(1).
    @inline(__always)
    package mutating func readUTF8() throws(CBORError) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[try readContent(.text)])
    }

    /// A text; invalid UTF-8 is an error, never repaired. O(n).
    @inline(__always)
    package mutating func readText() throws(CBORError) -> String {
        let start = offset
        let content = try readContent(.text)
        guard let text = String(validUTF8: UnsafeRawBufferPointer(rebasing: bytes[content])) else {
            throw CBORError(.invalidText, at: start)
        }
        return text
    }

    /// A byte string, valid as long as the reader's memory. O(1).
    package mutating func readBytes() throws(CBORError) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[try readContent(.bytes)])
    }

    // MARK: Foundation's scalars

    /// A byte string, copied. O(n).
    package mutating func readData() throws(CBORError) -> Data {
        Data(try readBytes())
    }

    /// Tag 37 and 16 bytes.
    package mutating func readUUID() throws(CBORError) -> UUID {
        let start = offset
        if isUUID(at: start) {
            offset += 19
            return UUID(uuid: bytes.loadUnaligned(fromByteOffset: start + 3, as: uuid_t.self))
        }
        try expectTag(CBORFormat.Tag.uuid)
        let content = try readBytes()
        guard content.count == 16 else {
            throw CBORError(.invalidTagContent(CBORFormat.Tag.uuid), at: start)
        }
        return UUID(uuid: content.loadUnaligned(as: uuid_t.self))
    }

    /// Whether there is a UUID at `offset` in the form that is written: the tag in two bytes, the
    /// head of 16 bytes in one.
    @inline(__always)
    func isUUID(at offset: Int) -> Bool {
        bytes.count &- offset >= 19 && bytes[offset] == 0xD8 && bytes[offset + 1] == 37
            && bytes[offset + 2] == 0x50
    }

    /// Tag 55934 and a float.
    package mutating func readDate() throws(CBORError) -> Date {
        try expectTag(CBORFormat.Tag.date)
        return Date(timeIntervalSinceReferenceDate: try readDouble())
    }

    /// Tag 32 and a text that is a URL.
    mutating func readURL() throws(CBORError) -> URL {
        let start = offset
        try expectTag(CBORFormat.Tag.url)
        guard let url = URL(string: try readText()) else {
            throw CBORError(.invalidTagContent(CBORFormat.Tag.url), at: start)
        }
        return url
    }

    /// Skips a tag, which must be `tag`.
    @inline(__always)
    mutating func expectTag(_ tag: UInt64) throws(CBORError) {
        let start = offset
        guard try readTag() == tag else {
            offset = start
            throw CBORError(.unexpectedType(.tag), at: start)
        }
    }
}
