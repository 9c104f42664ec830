/// Two halves of a computation at the same time.
package enum Concurrently {
    /// The results of `here`, which runs on the calling thread, and of `there`, which runs on
    /// another one meanwhile.
    ///
    /// - Parameter isWorthIt: if not, both run on the calling thread.
    /// - Throws: what one of them throws; what `here` throws if both do.
    package static func both<A, B: Sendable>(
        when isWorthIt: Bool, _ here: () throws -> A,
        _ there: @escaping @Sendable () throws -> B
    ) throws -> (A, B) {
        guard isWorthIt else { return (try here(), try there()) }
        let other = Monitor<Result<B, any Error>?>(nil)
        let worker = Worker()
        // Waits for the other half also if this one throws.
        defer { worker.stop() }
        worker.enqueue {
            let result = Result { try there() }
            other.change { $0 = result }
        }
        let result = try here()
        return (result, try other.wait { $0 }.get())
    }
}
