public import Synchronization

/// A value that is looked at where it is: what cannot be copied is not copied by the way.
@usableFromInline
struct Borrowed<E>: ~Copyable {
    @usableFromInline let value: E
}

/// What a `StoredRow` holds instead of its value's address. Not a type of its class, since that
/// would be generic, and would have to be looked up by whatever is done with it.
@usableFromInline
enum StoredRowState {
    static var empty: UInt { 0 }
    @inlinable static var filling: UInt { 1 }
}

/// A row that came from the log or the checkpoint, of a type that the schema names: its bytes,
/// and the value as soon as somebody has read it.
///
/// Opening decodes nothing. The first reader decodes, and leaves the value for those who follow.
/// The bytes stay: today's type may know fewer fields than they hold, and the record stays what
/// it is until it is written again.
///
/// - Note: `@unchecked` as its superclass is. `storage` is written once, by the thread that moved
///   `address` from `empty`, and read by those who have seen where it lies, which is stored after.
@usableFromInline
final class StoredRow<E: Entity>: Row, @unchecked Sendable {
    private let bytes: [UInt8]

    /// Where `storage` lies, once it holds the value; before, a `StoredRowState`.
    @usableFromInline let address = Atomic(StoredRowState.empty)

    // Guarded by `address`, which the compiler cannot see.
    @exclusivity(unchecked) private var storage: E?

    init(id: RecordID, hash: UInt64, number: UInt64, bytes: [UInt8]) {
        self.bytes = bytes
        super.init(id: id, hash: hash, number: number)
    }

    override func encoded() throws -> [UInt8] { bytes }

    override func value<T: Entity>(as type: T.Type) throws -> T {
        guard type == E.self else { return try super.value(as: type) }
        // The types were just compared.
        return unsafeBitCast(try decodedOnce(), to: type)
    }

    private func decodedOnce() throws -> E {
        guard let filled else { return try decode() }
        defer { withExtendedLifetime(self) {} }
        return filled.pointee.value
    }

    /// The value, if somebody has read the row before: valid as long as the row.
    ///
    /// A pointer, because who looks at a property that can change gets a copy of it.
    @inlinable
    var filled: UnsafePointer<Borrowed<E>>? {
        let address = address.load(ordering: .acquiring)
        return address > StoredRowState.filling ? UnsafePointer(bitPattern: address) : nil
    }

    /// Decodes the value, and keeps it for the next reader unless another thread does so now.
    private func decode() throws -> E {
        let value = try RecordCoding.decode(E.self, from: bytes, id: id)
        let isFirst = address.compareExchange(
            expected: StoredRowState.empty, desired: StoredRowState.filling, ordering: .relaxed
        ).exchanged
        if isFirst {
            storage = value
            // A stored property of an object without observers stays where it is, and the value
            // of an optional lies at its beginning.
            let place = withUnsafeMutablePointer(to: &storage) { UInt(bitPattern: $0) }
            address.store(place, ordering: .releasing)
        }
        return value
    }
}
