/// Iterates over the fields of a canonical map, one field ahead, to merge it with another one.
struct RecordCursor {
    private var reader: CBORReader
    private var left: Int
    /// The current field; nil after the last.
    private(set) var current: MapEntry?
    /// The levels around a value, that of the map included.
    private let depth: Int

    /// - Parameter levelsAround: the levels around the map that the nesting limit counts; negative
    ///   if it may nest deeper than a record.
    init(_ bytes: UnsafeRawBufferPointer, levelsAround: Int = 0) throws(CBORError) {
        reader = CBORReader(bytes)
        depth = levelsAround + 1
        left = try reader.readMapHead()
        current = try next()
    }

    /// The number of fields from the cursor on.
    var fieldCount: Int { current == nil ? 0 : left + 1 }

    /// Moves to the next field, whose key must be greater.
    @inline(__always)
    mutating func advance() throws(CBORError) {
        let previous = current
        current = try next()
        guard let current, let previous else { return }
        if Self.compare(previous.key, in: reader.bytes, to: current.key, in: reader.bytes) >= 0 {
            throw CBORError(.unsortedKeys, at: current.start)
        }
    }

    @inline(__always)
    private mutating func next() throws(CBORError) -> MapEntry? {
        guard left > 0 else {
            try reader.finish()
            return nil
        }
        left -= 1
        return try reader.readField(depth: depth)
    }

    /// Skips the fields that are equal in both cursors, byte for byte; returns false if the current
    /// fields differ, or one cursor is at its end.
    ///
    /// The bytes are compared as a whole, and only one cursor reads the fields.
    @inline(__always)
    mutating func skipCommon(_ other: inout RecordCursor) throws(CBORError) -> Bool {
        guard var field = current, let same = other.current else { return false }
        let rest = UnsafeRawBufferPointer(rebasing: reader.bytes[field.start...])
        let otherRest = UnsafeRawBufferPointer(rebasing: other.reader.bytes[same.start...])
        let end = field.start + rest.commonPrefixCount(otherRest)
        guard field.value.upperBound <= end else { return false }
        let shift = same.start - field.start
        try advance()
        while let next = current, next.value.upperBound <= end, other.left > 0 {
            field = next
            other.left -= 1
            try advance()
        }
        other.current = field.moved(by: shift)
        other.reader.offset = field.value.upperBound + shift
        try other.advance()
        return true
    }

    /// The order of this cursor's key relative to another's; the end of a cursor is after all keys.
    @inline(__always)
    func compareKey(to other: RecordCursor) -> Int {
        switch (current, other.current) {
        case (nil, nil): 0
        case (nil, _): 1
        case (_, nil): -1
        case (let mine?, let theirs?):
            Self.compare(mine.key, in: reader.bytes, to: theirs.key, in: other.reader.bytes)
        }
    }

    /// The order of two keys in canonical order.
    @inline(__always)
    private static func compare(
        _ a: KeyPrefix, in bytesOfA: UnsafeRawBufferPointer,
        to b: KeyPrefix, in bytesOfB: UnsafeRawBufferPointer
    ) -> Int {
        if a.word != b.word { return a.word < b.word ? -1 : 1 }
        // Words that are equal hold equal lengths.
        if a.range.count < 8 { return 0 }
        let keyA = UnsafeRawBufferPointer(rebasing: bytesOfA[a.range])
        return keyA.compare(UnsafeRawBufferPointer(rebasing: bytesOfB[b.range]))
    }

    /// The encoded key and value at the cursor.
    var field: UnsafeRawBufferPointer {
        guard let current else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(
            rebasing: reader.bytes[current.start..<current.value.upperBound])
    }
}

extension RecordCursor {
    /// Reads the field at the cursor; nil after the last.
    func readField() throws(CBORError) -> (name: String, value: FieldValue)? {
        guard let current else { return nil }
        var key = CBORReader(reader.bytes, at: current.start)
        let name = try key.readText()
        return (
            name,
            try FieldValue(
                cbor: UnsafeRawBufferPointer(
                    rebasing: reader.bytes[current.value]))
        )
    }
}

/// Builds a canonical map from fields in canonical order.
struct FieldCollector: ~Copyable {
    /// The map, with a byte for its head, which is enough for up to 23 fields.
    private var bytes = CBORWriter()
    private var count = 0

    init() {
        bytes.appendMapHead(0)
    }

    mutating func append(_ field: UnsafeRawBufferPointer) {
        bytes.append(raw: field)
        count += 1
    }

    /// Appends a field with another value.
    mutating func append(_ key: UnsafeRawBufferPointer, _ value: [UInt8]) {
        bytes.append(raw: key)
        value.withUnsafeBytes { bytes.append(raw: $0) }
        count += 1
    }

    /// The whole map.
    var map: [UInt8] {
        guard count < 24 else { return largeMap }
        let head = CBORFormat.Byte.emptyMap | UInt8(count)
        bytes.base.storeBytes(of: head, as: UInt8.self)
        return bytes.array
    }

    private var largeMap: [UInt8] {
        var map = CBORWriter(capacity: bytes.count + 8)
        map.appendMapHead(count)
        bytes.withUnsafeBytes { map.append(raw: UnsafeRawBufferPointer(rebasing: $0[1...])) }
        return map.array
    }
}
