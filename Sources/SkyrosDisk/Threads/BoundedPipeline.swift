/// Hands batches of work over to another thread, which takes them in, in their order, while this
/// one prepares the next.
///
/// For long work of two halves. The thread starts with the first batch and ends with the relay;
/// a few batches wait for it at most. What goes through is taken in by `take`, one at a time.
///
///     var relay = BoundedPipeline<[Row]> { rows in table.withLock { $0.add(rows) } }
///     while let rows = try source.next() { try relay.send(rows) }
///     try relay.finish([])
package struct BoundedPipeline<Batch: Sendable>: ~Copyable {
    private struct State: Sendable {
        var waitingCount = 0
        var failure: (any Error)?
    }

    private let take: @Sendable (Batch) throws -> Void
    private let state = Monitor(State())
    private var worker: SerialQueue?

    /// More would wait without making anything faster.
    private static var waitingMax: Int { 4 }

    package init(_ take: @escaping @Sendable (Batch) throws -> Void) {
        self.take = take
    }

    deinit {
        worker?.stop()
    }

    /// Hands over a batch; waits while there are enough of them.
    ///
    /// - Throws: what `take` has thrown. It is not called again.
    package mutating func send(_ batch: Batch) throws {
        try state.wait { state -> Result<Void, any Error>? in
            if let failure = state.failure { return .failure(failure) }
            guard state.waitingCount < Self.waitingMax else { return nil }
            state.waitingCount += 1
            return .success(())
        }.get()
        let worker = worker ?? SerialQueue()
        self.worker = worker
        worker.enqueue { [state, take] in Self.run(batch, state, take) }
    }

    private static func run(
        _ batch: Batch, _ state: Monitor<State>, _ take: (Batch) throws -> Void
    ) {
        var failure = state.withLock { $0.failure }
        if failure == nil {
            do {
                try take(batch)
            } catch {
                failure = error
            }
        }
        state.change { state in
            state.failure = failure
            state.waitingCount -= 1
        }
    }

    /// Waits until all batches are taken in.
    ///
    /// - Parameter last: one more, which is taken in here if it is the only one.
    /// - Throws: what `take` has thrown.
    package consuming func finish(_ last: Batch) throws {
        guard let worker else { return try take(last) }
        try send(last)
        worker.stop()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
