/// A cursor over CBOR in memory.
///
///     var reader = CBORReader(bytes)
///     let count = try reader.readMapHead()
///
/// It reads the subset that is stored (definite lengths, text keys), with integers and floats
/// in any width, and throws `CBORError` for everything else. It never traps, and refuses a length
/// that exceeds the remaining bytes.
///
/// The memory belongs to the caller and must outlive the reader.
package struct CBORReader {
    package let bytes: UnsafeRawBufferPointer
    /// The start of the next item; after an error, an offset in the invalid item.
    package var offset: Int

    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// The number of bytes that were not read yet.
    package var remaining: Int { bytes.count - offset }

    package var isAtEnd: Bool { offset >= bytes.count }

    /// Throws unless every byte was read.
    package func finish() throws(CBORError) {
        if !isAtEnd { throw CBORError(.trailingBytes, at: offset) }
    }

    // MARK: Heads

    /// The parts of an item's first byte, and its argument.
    package struct Head {
        package let type: CBORType
        /// The low five bits, which distinguish simple values and floats.
        package let detail: UInt8
        package let argument: UInt64
    }

    /// The type of the next item. O(1).
    package func peekType() throws(CBORError) -> CBORType {
        CBORType(major: try peekByte())
    }

    /// The first byte of the next item. O(1).
    @inline(__always)
    func peekByte() throws(CBORError) -> UInt8 {
        guard offset < bytes.count else { throw CBORError(.truncated, at: bytes.count) }
        return bytes[offset]
    }

    /// Reads a head. O(1).
    @inline(__always)
    package mutating func readHead() throws(CBORError) -> Head {
        let byte = try peekByte()
        let detail = byte & 0x1F
        if detail < 24 {
            offset += 1
            return Head(type: CBORType(major: byte), detail: detail, argument: UInt64(detail))
        }
        return try readLongHead(byte)
    }

    private mutating func readLongHead(_ byte: UInt8) throws(CBORError) -> Head {
        let detail = byte & 0x1F
        guard detail < 28 else { throw CBORError(.unsupported(byte), at: offset) }
        let size = 1 << Int(detail - 24)
        guard remaining > size else { throw CBORError(.truncated, at: bytes.count) }
        let argument: UInt64 =
            switch detail {
            case 24: UInt64(bytes[offset + 1])
            case 25: UInt64(bigEndian(UInt16.self, at: offset + 1))
            case 26: UInt64(bigEndian(UInt32.self, at: offset + 1))
            default: bigEndian(UInt64.self, at: offset + 1)
            }
        offset += 1 + size
        return Head(type: CBORType(major: byte), detail: detail, argument: argument)
    }

    @inline(__always)
    private func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int
    ) -> T {
        T(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// Reads a head that must be of `type`, and returns its argument.
    @inline(__always)
    mutating func readArgument(_ type: CBORType) throws(CBORError) -> UInt64 {
        let start = offset
        let head = try readHead()
        guard head.type == type else {
            offset = start
            throw CBORError(.unexpectedType(head.type), at: start)
        }
        return head.argument
    }

    /// Reads the head of a string of `type`, and returns the place of its content.
    @inline(__always)
    mutating func readContent(_ type: CBORType) throws(CBORError) -> Range<Int> {
        let start = offset
        let size = try readArgument(type)
        guard size <= UInt64(remaining) else { throw CBORError(.truncated, at: start) }
        let content = offset..<(offset + Int(size))
        offset = content.upperBound
        return content
    }

    /// Reads an array's head; never more than the remaining bytes could hold.
    package mutating func readArrayHead() throws(CBORError) -> Int {
        let start = offset
        let count = try readArgument(.array)
        guard count <= UInt64(remaining) else { throw CBORError(.truncated, at: start) }
        return Int(count)
    }

    /// Reads a map's head; never more than the remaining bytes could hold.
    package mutating func readMapHead() throws(CBORError) -> Int {
        let start = offset
        let count = try readArgument(.map)
        guard count <= UInt64(remaining / 2) else { throw CBORError(.truncated, at: start) }
        return Int(count)
    }

    /// Reads a tag; its content follows.
    package mutating func readTag() throws(CBORError) -> UInt64 {
        try readArgument(.tag)
    }
}

extension CBORType {
    /// The type in an item's first byte.
    @inline(__always)
    init(major byte: UInt8) {
        // A byte shifted right by five is 0 to 7, and the eight cases are declared in the order
        // of these raw values, so every such byte is the representation of a case.
        self = unsafeBitCast(byte >> 5, to: CBORType.self)
    }
}
