/// One key of a map, and the place of its value.
package struct CBORField {
    /// The offset of the encoded key, head included.
    package let start: Int
    /// The UTF-8 of the key, not yet validated.
    package let key: Range<Int>
    package let value: Range<Int>

    /// The encoded key and the encoded value.
    package var range: Range<Int> { start..<value.upperBound }
}

/// Iterates over the fields of a map in stored order.
///
///     var fields = try MapEntries(record)
///     while let field = try fields.next() { … record[field.value] … }
package struct MapEntries {
    package private(set) var reader: CBORReader
    /// The number of fields in the whole map.
    package let count: Int
    private var left: Int

    /// The fields of the map that begins at `offset`.
    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) throws(CBORError) {
        reader = CBORReader(bytes, at: offset)
        count = try reader.readMapHead()
        left = count
    }

    /// The next field, or nil after the last. O(size of its value).
    @inline(__always)
    package mutating func next() throws(CBORError) -> CBORField? {
        guard left > 0 else { return nil }
        left -= 1
        let start = reader.offset
        guard try reader.peekType() == .text else {
            throw CBORError(.keyIsNotText, at: start)
        }
        let key = try reader.readContent(.text)
        // The map itself is a level.
        let value = try reader.skipValue(depth: 1)
        return CBORField(start: start, key: key, value: value)
    }
}

extension CBORReader {
    /// The place of the value of the field `name` in a map, or nil. O(n) in the map's bytes.
    package static func valueRange(
        of name: String, inMap bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> Range<Int>? {
        var name = name
        return try name.withUTF8Bytes { (utf8) throws(CBORError) in
            var fields = try MapEntries(bytes)
            while let field = try fields.next() {
                if bytes.equals(utf8, at: field.key) { return field.value }
            }
            return nil
        }
    }
}
