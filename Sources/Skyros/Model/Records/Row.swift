/// One stored record as the main view holds it: its id, and its fields as they were written.
///
/// The bytes that were written are the record: differences, digests and checkpoints are made of
/// them, and readers get values that are decoded from them. So no code of the app, and no value
/// that it still holds, can change what is stored.
///
/// A row never changes: an update makes a new row with the same id.
///
/// - Note: `@unchecked` because the compiler cannot check a class with subclasses. Every stored
///   property is immutable, and subclasses must follow that.
@usableFromInline
class Row: @unchecked Sendable {
    final let id: RecordID

    /// The hash of `id`, by one function and one seed for all rows of a store.
    final let hash: UInt64

    /// The row's number in the checkpoint, and in the upper 16 bits the version of its shape: a
    /// property for it would take a word of each row. 0 there is the first version.
    private final let numberAndVersion: UInt64

    /// The row's number in the checkpoint.
    final var number: UInt64 { numberAndVersion & (Self.numberLimit - 1) }

    /// The version of the shape in which the record is stored.
    final var version: Int {
        Int(numberAndVersion >> Self.numberBits) + Evolver.firstVersion
    }

    private static let numberBits: UInt64 = 48

    /// No row has this number, or a larger one.
    static let numberLimit: UInt64 = 1 << numberBits

    /// The record's fields as a canonical CBOR map.
    final let bytes: [UInt8]

    init(
        id: RecordID, hash: UInt64, number: UInt64, version: Int = Evolver.firstVersion,
        bytes: [UInt8]
    ) {
        precondition(number < Self.numberLimit && version <= Evolver.versionMax)
        self.id = id
        self.hash = hash
        numberAndVersion = number | UInt64(version - Evolver.firstVersion) << Self.numberBits
        self.bytes = bytes
    }

    /// The record as a value of its type, decoded for this caller.
    ///
    /// For generic code, where `inlinedValue(as:)` would spend most of its time on looking up the
    /// classes to compare: a method of a row knows its type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    func value<T: Entity>(as type: T.Type) throws -> T {
        // A state of the past has a record under the id that it had then.
        let mayDiffer = T.evolution.evolver?.mayChangeID(after: version) ?? false
        return try RecordCoding.decode(
            type, from: bytes(for: type), id: id, allowingOtherID: mayDiffer)
    }

    /// The fields of the record in the newest shape that an evolver knows. O(1) if they are stored
    /// so; otherwise the steps run, and closures of the app with them.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func bytes(evolvedBy evolver: Evolver, _ entity: String) throws -> [UInt8] {
        if version >= evolver.version { return bytes }
        return try evolver.evolve(bytes, from: version, entity, id)
    }

    /// The fields of the record as a type reads them.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    final func bytes<T: Entity>(for type: T.Type) throws -> [UInt8] {
        guard let evolver = T.evolution.evolver else { return bytes }
        return try bytes(evolvedBy: evolver, T.entityName)
    }

    /// The same, with the fields of the type's prototype that the record lacks. O(n), with decoding
    /// if there is a prototype.
    final func completeBytes<T: Entity>(for type: T.Type) throws -> [UInt8] {
        let bytes = try bytes(for: type)
        guard PrototypeFields.exist(for: type) else { return bytes }
        // Reading tells which fields are missing.
        var unused = FieldRequests()
        _ = try? PrototypeFields.decode(type, from: bytes, &unused)
        return PrototypeFields.completing(bytes, as: type) ?? bytes
    }

    /// Whether another row holds the same record: the same fields, in the same shape.
    final func isSameRecord(as other: Row?) -> Bool {
        other === self || (other?.bytes == bytes && other?.version == version)
    }

    /// Whether the row keeps a value that was decoded from it, and its type asked for all of the
    /// row's fields.
    func isReadWhole<T: Entity>(as type: T.Type) -> Bool { false }
}

extension Row {
    /// The record as a value of its type, for code that is specialised for the type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    @inlinable
    func inlinedValue<E: Entity>(as type: E.Type) throws -> E {
        if let filled = stored(type)?.filled {
            defer { withExtendedLifetime(self) {} }
            return filled.pointee.value
        }
        return try decoded(as: type)
    }

    /// Lends the record as a value of its type.
    ///
    /// - Throws: as `inlinedValue(as:)`; what `body` throws.
    @inlinable
    func withValue<E: Entity, R>(
        as type: E.Type, _ body: (borrowing E) throws -> R
    ) throws -> R {
        if let filled = stored(type)?.filled {
            defer { withExtendedLifetime(self) {} }
            return try body(filled.pointee.value)
        }
        return try body(decoded(as: type))
    }

    /// The row, if it keeps a value of this type.
    @inlinable
    func stored<E: Entity>(_ type: E.Type) -> StoredRow<E>? {
        // The class has no subclasses, so comparing types is as good as a cast, and takes two
        // instructions in code that is specialised for the type.
        guard Swift.type(of: self) == StoredRow<E>.self else { return nil }
        // The types were just compared.
        return unsafeDowncast(self, to: StoredRow<E>.self)
    }

    @usableFromInline
    func decoded<E: Entity>(as type: E.Type) throws -> E {
        try value(as: type)
    }
}
