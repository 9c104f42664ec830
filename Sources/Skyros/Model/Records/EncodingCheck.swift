import SkyrosDisk

/// The search for types that encode one value differently twice: their updates would log changes
/// that no write block made.
///
/// Each value that the app writes is encoded a second time, and so is the copy that is decoded from
/// its record. Runs in debug builds, and while `InvariantChecks` is on.
enum EncodingCheck {
    private static var isEnabled: Bool {
        #if DEBUG
            true
        #else
            InvariantChecks.isEnabled
        #endif
    }

    /// Compares a record that the app writes with further encodings of its value.
    ///
    /// - Throws: `StoreError` with `.notEncodable`, naming the fields that differ; what
    ///   `encode(to:)` throws.
    static func compare<E: Entity>(_ value: E, with record: [UInt8], _ id: RecordID) throws {
        guard isEnabled else { return }
        if let (before, after) = try difference(from: record, of: value) {
            throw refusal(
                of: E.self, id, before + after,
                "differently each time, so every update would change it. Let encode(to:) depend "
                    + "on stored properties only, not on time, chance or other objects")
        }
        // What cannot be decoded is reported as such when it is read. A field that the record lacks
        // may get a default.
        guard let copy = try? CBORDecoder().decode(E.self, from: record),
            let (before, _) = try difference(from: record, of: copy), !before.isEmpty
        else { return }
        throw refusal(
            of: E.self, id, before,
            "differently after it was read, so the next update would change it. Let init(from:) "
                + "read what encode(to:) writes: a `let` with a value is never read")
    }

    /// The fields in which an encoding of `value` differs from `record`: those of the record, and
    /// those of the encoding. Nil if there are none.
    private static func difference<E: Entity>(
        from record: [UInt8], of value: E
    ) throws -> (before: [String], after: [String])? {
        let again = try RecordCoding.encode(value)
        return try Fields.difference(from: record, to: again).map { change in
            (Fields(trusted: change.before).names, Fields(trusted: change.after).names)
        }
    }

    private static func refusal<E: Entity>(
        of type: E.Type, _ id: RecordID, _ fields: [String], _ why: String
    ) -> StoreError {
        let names = Set(fields).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        return StoreError(
            .notEncodable,
            "a value of \(type) with the id \(id) encodes \(names) \(why). Nothing was written",
            at: StoreError.Place(entity: E.entityName, ids: [id]))
    }
}
