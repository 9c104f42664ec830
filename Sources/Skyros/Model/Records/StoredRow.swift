public import Synchronization

/// A row that came from the log or the checkpoint, of a type that the schema names: its bytes,
/// and the value as soon as somebody has read it.
///
/// Opening decodes nothing. The first reader decodes, and leaves the value for those who follow.
/// The bytes stay: today's type may know fewer fields than they hold, and the record stays what
/// it is until it is written again.
///
/// - Note: `@unchecked` as its superclass is. `storage` is written once, by the thread that moved
///   `state` from `.empty`, and read by those who have seen `.filled`, which is stored after it.
@usableFromInline
final class StoredRow<E: Entity>: Row, @unchecked Sendable {
    @usableFromInline
    enum State: UInt8, AtomicRepresentable {
        case empty, filling, filled
    }

    private let bytes: [UInt8]

    @usableFromInline let state = Atomic(State.empty)

    // Guarded by `state`, which the compiler cannot see.
    @exclusivity(unchecked) @usableFromInline var storage: E?

    init(id: RecordID, hash: UInt64, number: UInt64, bytes: [UInt8]) {
        self.bytes = bytes
        super.init(id: id, hash: hash, number: number)
    }

    override func encoded() throws -> [UInt8] { bytes }

    /// Whether somebody has read the row before, so that `storage` holds the value from now on.
    @inlinable
    var isFilled: Bool { state.load(ordering: .acquiring) == .filled }

    /// Decodes the value, and keeps it for the next reader unless another thread does so now.
    @usableFromInline
    func decode() throws -> E {
        let value = try RecordCoding.decode(E.self, from: bytes, id: id)
        let isFirst = state.compareExchange(
            expected: .empty, desired: .filling, ordering: .relaxed
        ).exchanged
        if isFirst {
            storage = value
            state.store(.filled, ordering: .releasing)
        }
        return value
    }
}
