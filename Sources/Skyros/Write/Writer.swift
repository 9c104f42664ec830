/// Runs write blocks: block → command batch.
///
/// - Note: `@unchecked` because of the staging, whose memory serves one block after the other: it
///   is used by the one thread whose turn it is to write.
final class BlockRunner: @unchecked Sendable {
    private let staging: UnsafeMutablePointer<WriteOverlay>
    /// The state of the staging between blocks.
    private let empty: Snapshot

    /// - Parameter empty: a state without records.
    init(empty: Snapshot) {
        self.empty = empty
        staging = .allocate(capacity: 1)
        staging.initialize(to: WriteOverlay(on: empty))
    }

    deinit {
        staging.deinitialize(count: 1)
        staging.deallocate()
    }

    /// Runs `block` on the state `base`, gathers what it asks for in `batch`, and returns what it
    /// returns.
    ///
    /// The block runs on the calling thread, whose turn it must be, and under no lock.
    func run<R>(
        on base: Snapshot, gathering batch: inout CommandBatch,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        staging.pointee.begin(on: base)
        defer { staging.pointee.end(on: empty) }
        var transaction = WriteTransaction(staging)
        let result = try block(&transaction)
        try staging.pointee.gather(in: &batch)
        return result
    }
}
