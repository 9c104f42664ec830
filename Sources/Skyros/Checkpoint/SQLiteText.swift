/// Text that a TEXT column can hold: UTF-8 without NUL, at which SQLite's functions end a text.
enum SQLiteText {
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let lowBits: UInt64 = 0x0101_0101_0101_0101

    /// Whether `bytes` are UTF-8 and contain no NUL. O(n), eight bytes at a time for ASCII.
    static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // Among bytes below 0x80 only a zero borrows into its own high bit.
            guard (word | (word &- lowBits)) & highBits == 0 else {
                return isPlainSlowly(bytes)
            }
            offset += 8
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte != 0, byte < 0x80 else { return isPlainSlowly(bytes) }
            offset += 1
        }
        return true
    }

    @inline(never)
    private static func isPlainSlowly(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
    }
}
