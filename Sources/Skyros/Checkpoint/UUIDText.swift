/// UUIDs as 36 lowercase characters, straight between bytes.
enum UUIDText {
    static let count = 36

    /// Writes the text of the 16 bytes at `source` to `target`, which has room for it.
    static func write(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
        precondition(source.count == 16 && target.count == count, "A UUID has 16 bytes.")
        var offset = 0
        for index in 0..<16 {
            if isDash(offset) {
                target[offset] = UInt8(ascii: "-")
                offset += 1
            }
            target[offset] = digit(source[index] >> 4)
            target[offset + 1] = digit(source[index] & 0x0F)
            offset += 2
        }
    }

    /// Reads what `write` wrote; nil for anything else, also for uppercase letters.
    static func read(_ text: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        guard text.count == count else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for offset in 0..<count {
            if isDash(offset) {
                guard text[offset] == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = value(text[offset]) else { return nil }
            words.0 = words.0 << 4 | words.1 >> 60
            words.1 = words.1 << 4 | value
        }
        return (words.0.bigEndian, words.1.bigEndian)
    }

    private static func isDash(_ offset: Int) -> Bool {
        offset == 8 || offset == 13 || offset == 18 || offset == 23
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 0x30 : value + 0x57
    }

    private static func value(_ digit: UInt8) -> UInt64? {
        switch digit {
        case 0x30...0x39: UInt64(digit - 0x30)
        case 0x61...0x66: UInt64(digit - 0x57)
        default: nil
        }
    }
}
