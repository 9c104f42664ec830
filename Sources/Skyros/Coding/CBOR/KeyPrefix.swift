/// A map key in the form in which it is compared: by a word, and if that is equal, by all bytes.
package struct KeyPrefix {
    /// The first eight bytes of the key's canonical encoding as a big-endian number: the head,
    /// which holds the length, and the beginning of the name. Words are in canonical order.
    let word: UInt64
    /// The place of the key's UTF-8, not validated.
    let range: Range<Int>

    /// The word of a key with these bytes. O(1).
    @inline(__always)
    static func word(of utf8: UnsafeRawBufferPointer) -> UInt64 {
        let count = utf8.count
        guard count < 24 else { return longWord(of: utf8) }
        return UInt64(truncatingIfNeeded: 0x60 | count) << 56 | utf8.leadingWord >> 8
    }

    /// The bits of the word that head and name use, for a key of `size` bytes, which is below 24.
    @inline(__always)
    static func mask(ofSize size: Int) -> UInt64 {
        size >= 7 ? .max : ~(UInt64.max >> UInt64(truncatingIfNeeded: 8 &* (size &+ 1)))
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
    mutating func readKey() throws(CBORError) -> KeyPrefix {
        let start = offset
        let byte = try peekByte()
        guard CBORType(major: byte) == .text else { throw CBORError(.keyIsNotText, at: start) }
        let size = Int(byte & 0x1F)
        guard size < 24, remaining > 8 else { return try readAnyKey() }
        guard size < remaining else { throw CBORError(.truncated, at: start) }
        // A short key in its shortest form: its bytes are the word.
        let bits = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        offset = start + 1 + size
        return KeyPrefix(
            word: bits & KeyPrefix.mask(ofSize: size), range: (start + 1)..<offset)
    }

    private mutating func readAnyKey() throws(CBORError) -> KeyPrefix {
        let range = try readContent(.text)
        let utf8 = UnsafeRawBufferPointer(rebasing: bytes[range])
        return KeyPrefix(word: KeyPrefix.word(of: utf8), range: range)
    }
}

/// A field of a map during an iteration.
struct MapEntry {
    let key: KeyPrefix
    /// The start of the encoded key.
    let start: Int
    let value: Range<Int>

    /// The same field, moved to other bytes.
    func moved(by shift: Int) -> MapEntry {
        func moved(_ range: Range<Int>) -> Range<Int> {
            (range.lowerBound + shift)..<(range.upperBound + shift)
        }
        return MapEntry(
            key: KeyPrefix(word: key.word, range: moved(key.range)),
            start: start + shift, value: moved(value))
    }
}

extension CBORReader {
    /// Reads a key, and skips its value, around which there are `depth` arrays and maps.
    ///
    /// The same as `readKey` and `skipValue`, in one step for usual keys and values.
    @inline(__always)
    mutating func readField(depth: Int) throws(CBORError) -> MapEntry {
        let start = offset
        let left = bytes.count &- start
        if let base = bytes.baseAddress, left > 8, depth < CBORFormat.nestingMax {
            let bits = UInt64(
                bigEndian: base.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            let size = Int(truncatingIfNeeded: bits >> 56) &- 0x60
            // The first byte of a key of up to 23 bytes, and the value's first byte after it.
            if size >= 0, size < 24, size &+ 1 < left {
                let value = start &+ 1 &+ size
                let byte = base.load(fromByteOffset: value, as: UInt8.self)
                let valueSize = usualSize(byte, at: value)
                if valueSize <= bytes.count &- value {
                    let end = value &+ valueSize
                    offset = end
                    return MapEntry(
                        key: KeyPrefix(
                            word: bits & KeyPrefix.mask(ofSize: size),
                            range: Range(uncheckedBounds: (start &+ 1, value))),
                        start: start, value: Range(uncheckedBounds: (value, end)))
                }
            }
        }
        return try readAnyField(depth: depth)
    }

    @inline(never)
    private mutating func readAnyField(depth: Int) throws(CBORError) -> MapEntry {
        let start = offset
        let key = try readKey()
        return MapEntry(key: key, start: start, value: try skipValue(depth: depth))
    }
}
