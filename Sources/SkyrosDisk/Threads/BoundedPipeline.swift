/// A pipeline of two stages: this thread produces batches, another one consumes them in order.
///
///     var pipeline = BoundedPipeline<[Row]> { rows in table.withLock { $0.add(rows) } }
///     while let rows = try source.next() { try pipeline.send(rows) }
///     try pipeline.finish([])
///
/// The consumer's thread starts with the first batch; if there is none to be had, the caller's
/// thread consumes. At most `waitingMax` batches wait for it.
package struct BoundedPipeline<Batch: Sendable>: ~Copyable {
    private struct State: Sendable {
        var waitingCount = 0
        var failure: (any Error)?
    }

    private let consume: @Sendable (Batch) throws -> Void
    private let state = Monitor(State())
    private var worker: SerialQueue?

    /// More batches consume memory and save no time.
    private static var waitingMax: Int { 4 }

    package init(_ consume: @escaping @Sendable (Batch) throws -> Void) {
        self.consume = consume
    }

    deinit {
        worker?.stop()
    }

    /// Sends a batch; waits while the pipeline is full.
    ///
    /// - Throws: what the consumer has thrown. It gets no further batch.
    package mutating func send(_ batch: Batch) throws {
        try state.wait { state -> Void? in
            if let failure = state.failure { throw failure }
            guard state.waitingCount < Self.waitingMax else { return nil }
            state.waitingCount += 1
            return ()
        }
        let worker = worker ?? SerialQueue()
        self.worker = worker
        do throws(ThreadShortage) {
            try worker.enqueue { [state, consume] in Self.run(batch, state, consume) }
        } catch {
            // No batch waits for the thread, which never ran.
            Self.run(batch, state, consume)
        }
    }

    private static func run(
        _ batch: Batch, _ state: Monitor<State>, _ consume: (Batch) throws -> Void
    ) {
        var failure = state.withLock { $0.failure }
        if failure == nil {
            do {
                try consume(batch)
            } catch {
                failure = error
            }
        }
        state.change { state in
            state.failure = failure
            state.waitingCount -= 1
        }
    }

    /// Waits until every batch is consumed.
    ///
    /// - Parameter last: one more batch, which this thread consumes if it is the only one.
    /// - Throws: what the consumer has thrown.
    package consuming func finish(_ last: Batch) throws {
        guard let worker else { return try consume(last) }
        try send(last)
        worker.stop()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
