/// UUIDs as 36 lowercase characters, straight between bytes.
enum UUIDText {
    static let count = 36

    /// Writes the text of the 16 bytes at `source` to `target`, which has room for it.
    static func write(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
        precondition(source.count == 16 && target.count == count, "A UUID has 16 bytes.")
        let dash = UInt8(ascii: "-")
        (target[8], target[13], target[18], target[23]) = (dash, dash, dash, dash)
        for index in 0..<16 {
            let offset = offset(ofByte: index)
            target[offset] = digit(source[index] >> 4)
            target[offset + 1] = digit(source[index] & 0x0F)
        }
    }

    /// Reads what `write` wrote; nil for anything else, also for uppercase letters.
    static func read(_ text: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        guard text.count == count else { return nil }
        let dash = UInt8(ascii: "-")
        guard text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash else {
            return nil
        }
        var words: (UInt64, UInt64) = (0, 0)
        // Bits above the low four gather here when a character is no digit.
        var flaws: UInt64 = 0
        for index in 0..<16 {
            let offset = offset(ofByte: index)
            let high = value(text[offset])
            let low = value(text[offset + 1])
            flaws |= high | low
            let byte = high << 4 | low
            if index < 8 {
                words.0 = words.0 << 8 | byte
            } else {
                words.1 = words.1 << 8 | byte
            }
        }
        return flaws < 16 ? (words.0.bigEndian, words.1.bigEndian) : nil
    }

    /// Where the two digits of a byte stand.
    @inline(__always)
    private static func offset(ofByte index: Int) -> Int {
        // A dash comes before the bytes 4, 6, 8 and 10.
        2 * index + min(max(index / 2 - 1, 0), 4)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 0x30 : value + 0x57
    }

    /// The value of a digit; 16 for any other character.
    @inline(__always)
    private static func value(_ digit: UInt8) -> UInt64 {
        let decimal = digit &- 0x30
        if decimal < 10 { return UInt64(decimal) }
        let letter = digit &- 0x61
        return letter < 6 ? UInt64(letter) + 10 : 16
    }
}
