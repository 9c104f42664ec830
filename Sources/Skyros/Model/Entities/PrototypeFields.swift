import SkyrosDisk

/// The fields of an entity's prototype, which stand in for those that a stored record lacks.
///
/// A record lacks a field only if its type asks for it, and fails without it: an absent optional is
/// nil. So the fields are found by decoding, and remembered for each type.
enum PrototypeFields {
    private struct Known {
        let prototype: [UInt8]
        /// The fields that a record has lacked, as a canonical map.
        var missing = Fields.none.bytes
    }

    private static let known = Locked<[ObjectIdentifier: Known]>([:])

    /// Whether a type has a prototype. Known to the compiler in code that is specialised for it.
    static func exist<E: Entity>(for type: E.Type) -> Bool { E.Prototype.self != Never?.self }

    /// The encoded prototype of a type; nil if it has none.
    ///
    /// - Throws: `StoreError` with `.invalidSchema` if it is no value of the type, `.notEncodable`.
    static func encoded<E: Entity>(of type: E.Type) throws -> [UInt8]? {
        guard exist(for: type) else { return nil }
        guard let prototype = E.prototype as? E else {
            throw StoreError(
                .invalidSchema,
                "\(type).prototype is no \(type); give it a value of the type, or another name",
                at: StoreError.Place(entity: E.entityName))
        }
        return try CBOREncoder().encode(prototype)
    }

    /// Decodes a record, with fields of the prototype for those that it lacks.
    static func decode<E: Entity>(
        _ type: E.Type, from bytes: [UInt8], _ requests: inout FieldRequests
    ) throws -> E {
        guard exist(for: type) else {
            return try CBORDecoder().decode(type, from: bytes, &requests)
        }
        var missing: Set<String> = []
        while true {
            let record = completing(bytes, as: type) ?? bytes
            do {
                return try CBORDecoder().decode(type, from: record, &requests)
            } catch DecodingError.keyNotFound(let key, let context) {
                let name = key.stringValue
                // A field that was completed and is missing again has no remedy.
                guard context.codingPath.isEmpty, missing.insert(name).inserted,
                    noteMissing(name, in: type)
                else { throw DecodingError.keyNotFound(key, context) }
                requests = FieldRequests()
            }
        }
    }

    /// A record with the fields of the prototype that records are known to lack; nil if it lacks
    /// none of them.
    static func completing<E: Entity>(_ record: [UInt8], as type: E.Type) -> [UInt8]? {
        let missing = known.withLock { $0[ObjectIdentifier(type)]?.missing } ?? Fields.none.bytes
        guard let completed = try? Fields.uniting(record, with: missing), completed != record
        else { return nil }
        return completed
    }

    /// Takes note that a record lacks a field; returns whether the prototype has it.
    static func noteMissing<E: Entity>(_ field: String, in type: E.Type) -> Bool {
        let id = ObjectIdentifier(type)
        // Encoding runs code of the app: not under the lock.
        guard let prototype = known.withLock({ $0[id]?.prototype }) ?? (try? encoded(of: type)),
            let value = Fields(trusted: prototype)[field]
        else { return false }
        return known.withLock { known in
            var entry = known[id] ?? Known(prototype: prototype)
            guard let added = try? Fields([field: value]),
                let missing = try? Fields.uniting(entry.missing, with: added.bytes)
            else { return false }
            entry.missing = missing
            known[id] = entry
            return true
        }
    }
}
