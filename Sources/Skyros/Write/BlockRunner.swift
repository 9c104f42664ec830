/// Runs write blocks: block → command batch.
enum BlockRunner {
    /// Runs `block` on the state `base` and returns what it asks for with what it returns.
    ///
    /// The block runs on the calling thread and under no lock.
    static func run<R>(
        on base: Snapshot, metadata: Metadata, intent: Intent?,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> (CommandBatch, R) {
        let staging = Staging(on: base)
        var transaction = WriteTransaction(staging)
        let result = try block(&transaction)
        return (try staging.batch(metadata, intent), result)
    }
}
