import SkyrosLog

/// The fields of stored records that a type does not know: its decoder does not ask for them, and
/// its encoder does not write them.
///
/// A newer version of the app, or another one, has written them. An older version that changes such
/// a record keeps them.
extension Row {
    /// A record that replaces this row's, with the fields of this row that the type does not know.
    ///
    /// A type knows a field that it asks for when it decodes the old record or the new one, or that
    /// it writes when it encodes again what it has decoded from the old one. So a property that is
    /// set to nil is removed, and the result depends on the two records only.
    ///
    /// - Complexity: O(1) if this row was decoded and all of its fields were asked for; otherwise
    ///   O(n), with decoding if the new record lacks a field of this row.
    ///   A record of an older shape counts as its steps make it.
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func keepingUnknownFields<E: Entity>(in record: [UInt8], as type: E.Type) throws -> [UInt8] {
        if isReadWhole(as: type) { return record }
        let bytes = try bytes(for: type)
        do throws(CBORError) {
            guard try Fields.hasKey(of: bytes, missingIn: record) else { return record }
            return try Fields.uniting(
                record, with: Self.unknownFields(of: bytes, beside: record, as: type))
        } catch {
            // Bytes that cannot be read are refused when events or checkpoints are read.
            return record
        }
    }

    private static func unknownFields<E: Entity>(
        of bytes: [UInt8], beside record: [UInt8], as type: E.Type
    ) throws(CBORError) -> [UInt8] {
        var unknown = try Fields.subtracting(record, from: bytes)
        let (unasked, value) = try unaskedFields(of: bytes, as: type)
        unknown = try Fields.intersecting(unknown, with: unasked)
        if unknown == Fields.none.bytes { return unknown }
        if let value, let again = try? CBOREncoder().encode(value) {
            unknown = try Fields.subtracting(again, from: unknown)
        }
        // A record that does not fit the type was not read to its end.
        let together = try Fields.uniting(record, with: unknown)
        return try Fields.intersecting(unknown, with: unaskedFields(of: together, as: type).0)
    }

    /// The fields of a record for which a type does not ask, and the value that it decodes, if any.
    private static func unaskedFields<E: Entity>(
        of record: [UInt8], as type: E.Type
    ) throws(CBORError) -> ([UInt8], E?) {
        var requests = FieldRequests()
        let value = try? CBORDecoder().decode(type, from: record, &requests)
        var unasked = FieldCollector()
        try record.withBytes { bytes throws(CBORError) in
            var cursor = try RecordCursor(bytes)
            var index = 0
            while cursor.current != nil {
                if !requests.contains(index) { unasked.append(cursor.field) }
                index += 1
                try cursor.advance()
            }
        }
        return (unasked.map, value)
    }
}
