import SkyrosLog

/// What has a history: a record, or, without an id, the clearings of an entity; or a label.
///
/// Runs are sorted by entity, and then by id in the order in which records are listed. The
/// clearings of an entity come before its records, and labels, which have the empty entity, before
/// everything.
struct HistoryKey: Hashable, Comparable, Sendable {
    /// UTF-8.
    let entity: [UInt8]
    let id: RecordID?

    init(_ entity: String, _ id: RecordID?) {
        self.entity = Array(entity.utf8)
        self.id = id
    }

    init(entity: [UInt8], id: RecordID?) {
        self.entity = entity
        self.id = id
    }

    /// Whether it is a label, see `EventLabel`.
    var isLabel: Bool { entity.isEmpty }

    static func < (a: HistoryKey, b: HistoryKey) -> Bool {
        guard a.entity == b.entity else { return a.entity.lexicographicallyPrecedes(b.entity) }
        guard let left = a.id else { return b.id != nil }
        guard let right = b.id else { return false }
        return left < right
    }

    /// The entity and the id as two items of CBOR; null is no id.
    func append(to writer: inout CBORWriter) {
        entity.withUnsafeBytes { writer.append(utf8: $0) }
        if let id {
            id.bytes.withUnsafeBytes { writer.append(raw: $0) }
        } else {
            writer.appendNull()
        }
    }

    /// Reads an id that `append` has written; nil for null.
    static func readID(_ reader: inout CBORReader) throws(CBORError) -> RecordID? {
        if try reader.readNullIfPresent() { return nil }
        let range = try reader.skipValue()
        return RecordID(ByteString(UnsafeRawBufferPointer(rebasing: reader.bytes[range])))
    }

    /// The bytes of `append`.
    var bytes: [UInt8] {
        var writer = CBORWriter()
        append(to: &writer)
        return writer.array
    }

    /// The same in every process: XXH64 of the bytes.
    var hash: UInt64 { XXH64.hash(bytes) }
}
