public import Synchronization

/// A value that is read in place: a noncopyable type is never copied implicitly.
@usableFromInline
struct Borrowed<E>: ~Copyable {
    @usableFromInline let value: E
}

/// What a `StoredRow` has instead of its value's address. Not nested in its class, where it would
/// be generic, and each use would require its metadata.
@usableFromInline
enum StoredRowState {
    static var empty: UInt { 0 }
    @inlinable static var filling: UInt { 1 }
}

/// A row from the log or the checkpoint, of a type that the schema names: its bytes, and the value
/// after the first read.
///
/// Opening decodes nothing. The first reader decodes, and stores the value for later readers. The
/// bytes are kept: they may have fields that today's type lacks, and the record does not change
/// until it is written again.
///
/// - Note: `@unchecked` as its superclass is. `storage` is written once, by the thread that moved
///   `address` from `empty`, and read by threads that have loaded its address, which is stored
///   after it.
@usableFromInline
final class StoredRow<E: Entity>: Row, @unchecked Sendable {
    private let bytes: [UInt8]

    /// The address of `storage`, once it has the value; before, a `StoredRowState`.
    @usableFromInline let address = Atomic(StoredRowState.empty)

    // Guarded by `address`, which the compiler cannot see.
    @exclusivity(unchecked) private var storage: E?

    init(id: RecordID, hash: UInt64, number: UInt64, bytes: [UInt8]) {
        self.bytes = bytes
        super.init(id: id, hash: hash, number: number)
    }

    override func encoded() throws -> [UInt8] { bytes }
    override var storedBytes: [UInt8]? { bytes }

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

    /// The value, if the row was read before: valid as long as the row.
    ///
    /// A pointer, because reading a mutable property copies it.
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
            // A stored property without observers has a stable address, which is also that of the
            // optional's value.
            let place = withUnsafeMutablePointer(to: &storage) { UInt(bitPattern: $0) }
            address.store(place, ordering: .releasing)
        }
        return value
    }
}
