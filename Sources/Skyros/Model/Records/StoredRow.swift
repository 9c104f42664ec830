public import Synchronization

/// A value that is read in place: a noncopyable type is never copied implicitly.
@usableFromInline
struct Borrowed<E>: ~Copyable {
    @usableFromInline let value: E
}

/// How far a `StoredRow` has come. Not nested in its class, where it would be generic, and each use
/// would require its metadata.
@usableFromInline
enum StoredRowState {
    @inlinable static var empty: UInt8 { 0 }
    @inlinable static var filling: UInt8 { 1 }
    /// The row has its value, and all of its fields were asked for.
    @inlinable static var filled: UInt8 { 2 }
    /// The row has its value, and other fields, for which the type did not ask.
    @inlinable static var filledInPart: UInt8 { 3 }

    /// The size of a row without a value.
    @inlinable static var rowSize: Int {
        // The object's header, and the properties of `Row`.
        MemoryLayout<(UInt, UInt, RecordID, UInt64, UInt64, UInt)>.size
    }
}

/// A row of a type whose values hold no references (`ValueProof`): its bytes, and the value after
/// the first read.
///
/// Neither opening nor writing decodes anything. The first reader decodes, and stores the value for
/// later readers. The value that was written is not kept: its `encode(to:)` may have left out
/// something, which readers then must not see either.
///
/// - Note: `@unchecked` as its superclass is. `storage` is written once, by the thread that moved
///   `state` from `empty`, and read by threads that have seen `filled` or `filledInPart`, which is
///   set after it.
@usableFromInline
final class StoredRow<E: Entity>: Row, @unchecked Sendable {
    // Guarded by `state`, which the compiler cannot see. First, so that its offset is known.
    @exclusivity(unchecked) private var storage: E?

    /// A `StoredRowState`. A byte: an address would take a word of each row.
    @usableFromInline let state = Atomic(StoredRowState.empty)

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
        guard state.load(ordering: .acquiring) >= StoredRowState.filled else { return nil }
        return UnsafePointer(bitPattern: address)
    }

    override func isReadWhole<T: Entity>(as type: T.Type) -> Bool {
        state.load(ordering: .relaxed) == StoredRowState.filled && type == E.self
    }

    /// The address of `storage`, which is also that of the optional's value.
    @inlinable
    var address: UInt {
        let mask = UInt(bitPattern: MemoryLayout<E?>.alignment - 1)
        let offset = (UInt(bitPattern: StoredRowState.rowSize) + mask) & ~mask
        return UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) + offset
    }

    /// Decodes the value, and keeps it for the next reader unless another thread does so now.
    private func decode() throws -> E {
        var requests = FieldRequests()
        let value = try RecordCoding.decode(E.self, from: bytes, id: id, &requests)
        let isFirst = state.compareExchange(
            expected: StoredRowState.empty, desired: StoredRowState.filling, ordering: .relaxed
        ).exchanged
        if isFirst {
            storage = value
            // A stored property without observers has a stable address.
            let place = withUnsafeMutablePointer(to: &storage) { UInt(bitPattern: $0) }
            precondition(place == address, "The value of a row is where its readers expect it.")
            state.store(
                requests.areAll ? StoredRowState.filled : StoredRowState.filledInPart,
                ordering: .releasing)
        }
        return value
    }
}
