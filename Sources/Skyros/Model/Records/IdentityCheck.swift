import SkyrosDisk
import SkyrosLog
import Synchronization

/// The check that records of a type are read back with the ids under which they are written.
///
/// Decoding may make another id: of `let id = UUID()` a new one each time, and so if `CodingKeys`
/// has no `id`. The first record that is written is decoded, and the field that holds its id is
/// remembered. Of further records only the bytes of that field are compared; a record without them
/// is decoded too. Reads compare each id that they decode.
final class IdentityCheck: Sendable {
    /// Where records hold their ids.
    private enum Place: UInt8 {
        /// No record was decoded yet, or the id is computed from several fields.
        case unknown
        /// In the field `id`.
        case usualField
        /// In another field.
        case otherField
    }

    private let place = Atomic(Place.unknown.rawValue)
    private let otherField = Locked<IndexField?>(nil)
    private static let usualField: IndexField = "id"

    /// Checks a record that is about to be written. O(fields before the id's), and decoding.
    ///
    /// - Throws: `StoreError` with `.notEncodable` if it is read back with another id, or cannot be
    ///   read back.
    func check<E: Entity>(_ record: [UInt8], as type: E.Type, _ id: RecordID) throws {
        if place.load(ordering: .relaxed) == Place.usualField.rawValue {
            if Self.beginsWithID(record, id) || Self.usualField.holds(id, in: record) { return }
        } else if let field = otherField.withLock({ $0 }), field.holds(id, in: record) {
            return
        }
        try Self.decode(record, as: type, id)
        note(record, id)
    }

    /// Whether the first field of a record is `id`, with these bytes.
    private static func beginsWithID(_ record: [UInt8], _ id: RecordID) -> Bool {
        record.withUnsafeBytes { record in
            // A head of up to 23 fields, and the key.
            let start = record.leadingWord >> 32
            guard (0xA0..<0xB8).contains(start >> 24), start & 0xFF_FFFF == 0x62_69_64 else {
                return false
            }
            // No item of CBOR is the beginning of another one.
            return id.bytes.withUnsafeBytes { id in
                record.count >= 4 + id.count && record.equals(id, at: 4..<(4 + id.count))
            }
        }
    }

    /// Decodes a record that is about to be written, and compares the id.
    static func decode<E: Entity>(_ record: [UInt8], as type: E.Type, _ id: RecordID) throws {
        let place = StoreError.Place(entity: E.entityName, ids: [id])
        let value: E
        do {
            value = try CBORDecoder().decode(type, from: record)
        } catch {
            throw StoreError(
                .notEncodable,
                "a value of \(type) with the id \(id) could not be read again: its record "
                    + "\(Misfit(error, in: record).fact). Nothing was written; let init(from:) "
                    + "read what encode(to:) writes", at: place, cause: String(describing: error))
        }
        let other = try RecordCoding.id(value)
        guard other == id else {
            throw StoreError(
                .notEncodable,
                "a value of \(type) with the id \(id) would be read with the id \(other). Nothing "
                    + "was written; declare `id` as a `var`, or as a `let` without a value; name "
                    + "it in CodingKeys, if there are any; and let init(from:) and encode(to:) "
                    + "keep it, if there are any", at: place)
        }
    }

    /// Remembers which field of a record holds its id.
    private func note(_ record: [UInt8], _ id: RecordID) {
        guard place.load(ordering: .relaxed) == Place.unknown.rawValue else { return }
        if Self.usualField.holds(id, in: record) {
            return place.store(Place.usualField.rawValue, ordering: .relaxed)
        }
        let holder = id.bytes.withUnsafeBytes { id in
            record.withUnsafeBytes { record in
                try? FieldValueBytes(id)?.holders(in: record).first
            }
        }
        guard let holder else { return }
        otherField.withLock { $0 = IndexField(holder) }
        place.store(Place.otherField.rawValue, ordering: .relaxed)
    }
}

extension IndexField {
    /// Whether the field of a record holds exactly these bytes. O(fields before it).
    fileprivate func holds(_ id: RecordID, in record: [UInt8]) -> Bool {
        record.withUnsafeBytes { record in
            var reader = CBORReader(record)
            guard let count = try? reader.readMapHead() else { return false }
            for _ in 0..<count {
                guard let entry = try? reader.readField(depth: 1), entry.key.word <= word else {
                    return false
                }
                if matches(entry.key, in: record) {
                    return id.bytes.withUnsafeBytes { record.equals($0, at: entry.value) }
                }
            }
            return false
        }
    }
}
