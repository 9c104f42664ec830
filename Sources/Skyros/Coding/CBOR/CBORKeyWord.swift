/// A map key as it is compared: by a word first, and by all its bytes if need be.
package struct CBORKeyWord {
    /// The first eight bytes of the key's canonical encoding as a big-endian number: the head,
    /// which holds the length, and the beginning of the name. Words are in canonical order.
    let word: UInt64
    /// Where the key's UTF-8 lies, not validated.
    let range: Range<Int>

    /// The word of a key with these bytes. O(1).
    @inline(__always)
    static func word(of utf8: UnsafeRawBufferPointer) -> UInt64 {
        let count = utf8.count
        guard count < 24 else { return longWord(of: utf8) }
        return UInt64(truncatingIfNeeded: 0x60 | count) << 56 | utf8.leadingWord >> 8
    }

    @inline(never)
    private static func longWord(of utf8: UnsafeRawBufferPointer) -> UInt64 {
        let count = UInt64(utf8.count)
        let head: UInt64
        let headSize: UInt64
        switch utf8.count {
        case ...0xFF: (head, headSize) = (0x78 << 56 | count << 48, 2)
        case ...0xFFFF: (head, headSize) = (0x79 << 56 | count << 40, 3)
        default: (head, headSize) = (0x7A << 56 | count << 24, 5)
        }
        return head | utf8.leadingWord >> (8 * headSize)
    }
}

extension CBORReader {
    /// Reads a map key, in any width of its head. O(1).
    @inline(__always)
    mutating func readKey() throws(CBORError) -> CBORKeyWord {
        let start = offset
        let byte = try peekByte()
        guard CBORType(major: byte) == .text else { throw CBORError(.keyIsNotText, at: start) }
        let size = Int(byte & 0x1F)
        guard size < 24, remaining > 8 else { return try readAnyKey() }
        guard size < remaining else { throw CBORError(.truncated, at: start) }
        // A short key in its shortest form: its bytes are the word.
        let bits = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        let unused = size >= 7 ? 0 : UInt64.max >> UInt64(truncatingIfNeeded: 8 * (size + 1))
        offset = start + 1 + size
        return CBORKeyWord(word: bits & ~unused, range: (start + 1)..<offset)
    }

    private mutating func readAnyKey() throws(CBORError) -> CBORKeyWord {
        let range = try readContent(.text)
        let utf8 = UnsafeRawBufferPointer(rebasing: bytes[range])
        return CBORKeyWord(word: CBORKeyWord.word(of: utf8), range: range)
    }
}
