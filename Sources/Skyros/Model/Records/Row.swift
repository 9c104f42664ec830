/// One stored record as the main view holds it: its id, the hash of the id, and its row number.
///
/// Subclasses add the content, typed or still encoded. A row never changes: an update makes a new
/// row with the same id.
///
/// - Note: `@unchecked` because the compiler cannot check a class with subclasses. Every stored
///   property is immutable, and subclasses must follow that.
@usableFromInline
class Row: @unchecked Sendable {
    final let id: RecordID

    /// The hash of `id`, by one function and one seed for all rows of a store.
    final let hash: UInt64

    /// The row's number in the checkpoint.
    final let number: UInt64

    init(id: RecordID, hash: UInt64, number: UInt64) {
        self.id = id
        self.hash = hash
        self.number = number
    }

    /// The record's fields as a canonical CBOR map.
    func encoded() throws -> [UInt8] {
        preconditionFailure("every subclass of Row knows its content")
    }

    /// What `encoded()` returns, unless that calls the app's code: nil then.
    var storedBytes: [UInt8]? { nil }

    /// The record as a value of its type.
    ///
    /// For generic code, where `inlinedValue(as:)` would spend most of its time on looking up the
    /// classes to compare: a method of a row knows its type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    func value<T: Entity>(as type: T.Type) throws -> T {
        try RecordCoding.decode(type, from: encoded(), id: id)
    }
}

/// A row of an entity that the schema does not name.
///
/// - Note: `@unchecked` as its superclass is; what it adds is immutable.
final class EncodedRow: Row, @unchecked Sendable {
    private let bytes: [UInt8]

    init(id: RecordID, hash: UInt64, number: UInt64, bytes: [UInt8]) {
        self.bytes = bytes
        super.init(id: id, hash: hash, number: number)
    }

    override func encoded() throws -> [UInt8] { bytes }
    override var storedBytes: [UInt8]? { bytes }
}

/// A row that was written by this process: the value itself, whose encoding is the record.
///
/// - Note: `@unchecked` as its superclass is; what it adds is immutable.
@usableFromInline
final class TypedRow<E: Entity>: Row, @unchecked Sendable {
    @usableFromInline let value: E

    init(_ value: E, id: RecordID, hash: UInt64, number: UInt64) {
        self.value = value
        super.init(id: id, hash: hash, number: number)
    }

    override func encoded() throws -> [UInt8] {
        try RecordCoding.encode(value)
    }

    override func value<T: Entity>(as type: T.Type) throws -> T {
        // The types were just compared.
        if type == E.self { return unsafeBitCast(value, to: type) }
        return try super.value(as: type)
    }
}

extension Row {
    /// The record as a value of its type, for code that is specialised for the type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    @inlinable
    func inlinedValue<E: Entity>(as type: E.Type) throws -> E {
        if let typed = typed(type) { return typed.value }
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
        if let typed = typed(type) { return try body(typed.value) }
        if let filled = stored(type)?.filled {
            defer { withExtendedLifetime(self) {} }
            return try body(filled.pointee.value)
        }
        return try body(decoded(as: type))
    }

    /// The row, if it holds a value of this type.
    @inlinable
    func typed<E: Entity>(_ type: E.Type) -> TypedRow<E>? {
        // The class has no subclasses, so comparing types is as good as a cast, and takes two
        // instructions in code that is specialised for the type.
        guard Swift.type(of: self) == TypedRow<E>.self else { return nil }
        // The types were just compared.
        return unsafeDowncast(self, to: TypedRow<E>.self)
    }

    /// The row, if it is one that was loaded for this type.
    @inlinable
    func stored<E: Entity>(_ type: E.Type) -> StoredRow<E>? {
        guard Swift.type(of: self) == StoredRow<E>.self else { return nil }
        // As in `typed`.
        return unsafeDowncast(self, to: StoredRow<E>.self)
    }

    @usableFromInline
    func decoded<E: Entity>(as type: E.Type) throws -> E {
        try value(as: type)
    }
}
