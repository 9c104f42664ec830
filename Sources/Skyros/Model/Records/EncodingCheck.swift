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
        if let fields = try difference(from: record, of: value) {
            throw refusal(
                of: E.self, id,
                "encodes \(fields) differently each time, so every update would change it. Let "
                    + "encode(to:) depend on stored properties only, not on time, chance or "
                    + "other objects")
        }
        // What cannot be decoded is reported as such when it is read.
        guard let copy = try? CBORDecoder().decode(E.self, from: record) else { return }
        if let fields = try difference(from: record, of: copy) {
            throw refusal(
                of: E.self, id,
                "encodes \(fields) differently after it was read, so the next update would change "
                    + "it. Let init(from:) read what encode(to:) writes: a `let` with a value "
                    + "is never read")
        }
    }

    /// The fields in which an encoding of `value` differs from `record`; nil if there are none.
    private static func difference<E: Entity>(
        from record: [UInt8], of value: E
    ) throws -> String? {
        let again = try RecordCoding.encode(value)
        guard let change = try Fields.difference(from: record, to: again) else { return nil }
        let names = [change.before, change.after].flatMap { Fields(trusted: $0).names }
        return Set(names).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private static func refusal<E: Entity>(
        of type: E.Type, _ id: RecordID, _ why: String
    ) -> StoreError {
        StoreError(
            .notEncodable, "a value of \(type) with the id \(id) \(why). Nothing was written",
            at: StoreError.Place(entity: E.entityName, ids: [id]))
    }
}
