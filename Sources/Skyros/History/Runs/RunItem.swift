import SkyrosLog

/// A label, the clearings of an entity, or a record in a frame of a run. Its buffers are the
/// frame's.
struct RunItem {
    let entity: UnsafeRawBufferPointer
    /// The id's bytes; none for clearings.
    let id: UnsafeRawBufferPointer?
    /// A sequence of items of CBOR, see `RecordVersion`, and of a label `Postings`.
    let versions: UnsafeRawBufferPointer

    /// Calls `body` with the items of a frame, until it returns false.
    ///
    /// - Returns: whether it never did.
    static func forEach(
        in content: [UInt8], _ body: (RunItem) throws -> Bool
    ) throws -> Bool {
        try content.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            while !reader.isAtEnd {
                if try !body(RunItem(&reader)) { return false }
            }
            return true
        }
    }

    /// Calls `body` with the ids and versions of an entity's records in a frame.
    ///
    /// - Returns: whether the next frame may have more of them.
    static func forEachRecord(
        of entity: [UInt8], in content: [UInt8],
        _ body: (RecordID, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        try forEach(in: content) { item in
            let order = entity.withUnsafeBytes { item.entity.compare($0) }
            if order > 0 { return false }
            if order == 0, let id = item.id {
                try body(RecordID(ByteString(id)), item.versions)
            }
            return true
        }
    }

    init(_ reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        guard try reader.readArrayHead() == 3 else {
            throw CBORError(.unexpectedType(.array), at: start)
        }
        entity = try reader.readUTF8()
        if try reader.readNullIfPresent() {
            id = nil
        } else {
            let range = try reader.skipValue()
            id = UnsafeRawBufferPointer(rebasing: reader.bytes[range])
        }
        versions = try reader.readBytes()
    }

    func matches(_ other: HistoryKey) -> Bool {
        guard other.entity.withUnsafeBytes({ $0.compare(entity) }) == 0 else { return false }
        guard let id else { return other.id == nil }
        return other.id?.bytes.withUnsafeBytes { $0.compare(id) == 0 } ?? false
    }

    /// The key, as a value.
    var historyKey: HistoryKey {
        HistoryKey(entity: [UInt8](entity), id: id.map { RecordID(ByteString($0)) })
    }
}
