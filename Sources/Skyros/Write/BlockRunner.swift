/// Runs write blocks: block → command batch.
///
/// - Note: `@unchecked` because of the staging, whose memory serves one block after the other: it
///   is used by the one thread whose turn it is to write.
final class BlockRunner: @unchecked Sendable {
    private let staging: UnsafeMutablePointer<Staging>
    /// The state of the staging between blocks.
    private let empty: Snapshot

    /// - Parameter empty: a state without records.
    init(empty: Snapshot) {
        self.empty = empty
        staging = .allocate(capacity: 1)
        staging.initialize(to: Staging(on: empty))
    }

    deinit {
        staging.deinitialize(count: 1)
        staging.deallocate()
    }

    /// Runs `block` on the state `base` and returns what it asks for with what it returns.
    ///
    /// The block runs on the calling thread, whose turn it must be, and under no lock.
    func run<R>(
        on base: Snapshot, metadata: Metadata, intent: Intent?,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> (CommandBatch, R) {
        staging.pointee.begin(on: base)
        defer { staging.pointee.end(on: empty) }
        var transaction = WriteTransaction(staging)
        let result = try block(&transaction)
        return (try staging.pointee.batch(metadata, intent), result)
    }
}
