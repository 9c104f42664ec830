extension CBORReader {
    /// Skips the next item of any type, and returns its place. O(n).
    ///
    /// The whole item is checked to be well formed and within the stored subset. Unique keys and
    /// valid UTF-8 are checked when they are read. `depth` is the number of arrays, maps and tags
    /// around the item.
    @discardableResult
    @inline(__always)
    package mutating func skipValue(depth: Int = 0) throws(CBORError) -> Range<Int> {
        let start = offset
        let size = usualSize(try peekByte(), at: start)
        if size <= remaining, depth < CBORFormat.nestingMax {
            offset = start + size
        } else {
            try skipAnyValue(depth: depth)
        }
        return Range(uncheckedBounds: (start, offset))
    }

    /// The size of the item at `offset`, which begins with `byte`, if its kind is frequent and has
    /// a fixed size; `Int.max` for all others.
    @inline(__always)
    func usualSize(_ byte: UInt8, at offset: Int) -> Int {
        let detail = Int(byte & 0x1F)
        switch byte {
        // Bytes and texts, the most frequent.
        case 0x40..<0x80: return detail < 24 ? 1 + detail : .max
        // Numbers: the two kinds of integers, and floats.
        case 0x00..<0x40, 0xF9..<0xFC:
            return detail < 24 ? 1 : detail < 28 ? 1 + 1 << (detail - 24) : .max
        case CBORFormat.Byte.false...CBORFormat.Byte.null: return 1
        default: return isUUID(at: offset) ? 19 : .max
        }
    }

    private mutating func skipAnyValue(depth: Int) throws(CBORError) {
        let start = offset
        let head = try readHead()
        switch head.type {
        case .unsigned, .negative: break
        case .bytes, .text:
            guard head.argument <= UInt64(remaining) else {
                throw CBORError(.truncated, at: start)
            }
            offset += Int(head.argument)
        case .simple: try checkSimple(head, at: start)
        case .array, .map, .tag: try skipItems(of: head, at: start, depth: depth)
        }
    }

    private mutating func skipItems(
        of head: Head, at start: Int, depth: Int
    ) throws(CBORError) {
        guard depth < CBORFormat.nestingMax else { throw CBORError(.tooDeep, at: start) }
        if head.type == .tag {
            try skipValue(depth: depth + 1)
            return
        }
        // An item has at least one byte, so a count beyond the bytes is wrong.
        guard head.argument <= UInt64(remaining) else { throw CBORError(.truncated, at: start) }
        for _ in 0..<Int(head.argument) {
            if head.type == .map { try skipKey() }
            try skipValue(depth: depth + 1)
        }
    }

    /// Skips a map key, which must be text.
    private mutating func skipKey() throws(CBORError) {
        guard CBORType(major: try peekByte()) == .text else {
            throw CBORError(.keyIsNotText, at: offset)
        }
        _ = try readContent(.text)
    }

    /// Of the simple values and floats: false, true, null and the three widths of floats.
    private func checkSimple(_ head: Head, at start: Int) throws(CBORError) {
        switch head.detail {
        case 20, 21, 22, 25, 26, 27: break
        default: throw CBORError(.unsupported(bytes[start]), at: start)
        }
    }
}
