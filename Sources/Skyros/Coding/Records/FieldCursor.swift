/// Walks over the fields of a canonical map, one field ahead, for merging with another one.
struct FieldCursor {
    let bytes: UnsafeRawBufferPointer
    private var fields: CBORFields
    /// The field that the cursor stands at; nil behind the last.
    private(set) var current: CBORField?

    init(_ bytes: UnsafeRawBufferPointer) throws(CBORError) {
        self.bytes = bytes
        fields = try CBORFields(bytes)
        current = try fields.next()
        if current == nil { try fields.reader.finish() }
    }

    /// Steps to the next field, whose key must be greater.
    mutating func advance() throws(CBORError) {
        let previous = current
        current = try fields.next()
        guard let current else { return try fields.reader.finish() }
        guard let previous else { return }
        let order = Self.compare(previous, in: bytes, to: current, in: bytes)
        if order >= 0 { throw CBORError(.unsortedKeys, at: current.start) }
    }

    /// How this cursor's key stands to another's; a cursor at its end is behind everything.
    func compareKey(to other: FieldCursor) -> Int {
        switch (current, other.current) {
        case (nil, nil): 0
        case (nil, _): 1
        case (_, nil): -1
        case (let mine?, let theirs?):
            Self.compare(mine, in: bytes, to: theirs, in: other.bytes)
        }
    }

    /// The order of two keys in canonical order.
    private static func compare(
        _ a: CBORField, in bytesOfA: UnsafeRawBufferPointer,
        to b: CBORField, in bytesOfB: UnsafeRawBufferPointer
    ) -> Int {
        let keyA = UnsafeRawBufferPointer(rebasing: bytesOfA[a.key])
        let keyB = UnsafeRawBufferPointer(rebasing: bytesOfB[b.key])
        // The head of an encoded key is its length, so shorter keys come first.
        return keyA.count == keyB.count ? keyA.compare(keyB) : keyA.count - keyB.count
    }

    /// The encoded key and value at the cursor.
    var field: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[current?.range ?? 0..<0])
    }

    /// Whether the two cursors stand at equal values.
    func hasSameValue(as other: FieldCursor) -> Bool {
        guard let mine = current, let theirs = other.current else { return false }
        let value = UnsafeRawBufferPointer(rebasing: other.bytes[theirs.value])
        return bytes.equals(value, at: mine.value)
    }
}

/// A canonical map that is put together from fields in canonical order.
struct FieldCollector: ~Copyable {
    private var content = CBORWriter()
    private var count = 0

    mutating func append(_ field: UnsafeRawBufferPointer) {
        content.append(raw: field)
        count += 1
    }

    /// The whole map.
    var map: [UInt8] {
        var head = CBORWriter(capacity: 16)
        head.appendMapHead(count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(head.count + content.count)
        head.withUnsafeBytes { bytes.append(contentsOf: $0) }
        content.withUnsafeBytes { bytes.append(contentsOf: $0) }
        return bytes
    }
}
