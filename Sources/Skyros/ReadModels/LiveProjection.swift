/// The value of a projection, now and after each event that changes it.
///
///     for try await sales in store.live(Sales.self) { show(sales) }
///
/// The first value comes immediately, or when the projection was built; a reader that is slower
/// than the writer gets the newest value and skips those between. A value that is equal to the one
/// before is left out, if the type is `Equatable`.
///
/// The sequence ends when the store is closed or the task is cancelled. It does not keep the store
/// open.
public struct LiveProjection<P: Projection>: AsyncSequence, Sendable {
    /// The value.
    public typealias Element = P

    /// Errors end the sequence: `.projectionFailed` if the projection has stopped, `.belowFloor` if
    /// it needs events that are not kept, `.unknownProjection`, `.erased`; `.logCorrupt` and the
    /// like if it cannot be built.
    public typealias Failure = StoreError

    let view: MainView
    /// Nil if the store has no projections.
    let rebuilder: ProjectionRebuilder?
    /// Whether two values are equal; nil if that is not known.
    let isSame: (@Sendable (P, P) -> Bool)?

    /// An iterator that begins with the newest value.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }

    /// Waits for one value after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let sequence: LiveProjection
        private var revision = SequenceNumber.zero
        /// The last value, if values are compared.
        private var last: P?
        private var hasEnded = false

        init(sequence: LiveProjection) {
            self.sequence = sequence
        }

        /// The next value; nil when the store is closed or the task is cancelled.
        ///
        /// - Throws: `StoreError`, see ``LiveProjection/Failure``.
        public mutating func next() async throws(StoreError) -> P? {
            try await next(isolation: nil)
        }

        /// The next value, as `next`, for a reader that is isolated to an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(StoreError) -> P? {
            guard !hasEnded else { return nil }
            // Unless there is a value.
            hasEnded = true
            let signal = sequence.rebuilder?.signal
            while !Task.isCancelled {
                let value = try newer()
                // After an erasure the values are those of another history.
                if let failure = signal?.failure { throw failure }
                if let value {
                    hasEnded = false
                    return value
                }
                guard let signal, await signal.wait(after: revision) else {
                    if let failure = signal?.failure { throw failure }
                    return nil
                }
            }
            return nil
        }

        /// The newest value, if it differs from the last one.
        private mutating func newer() throws(StoreError) -> P? {
            let snapshot = sequence.view.current
            // Throws for one that the store does not have.
            let state = try StoreError.wrap(try snapshot.projectionState(of: P.self))
            guard let values = snapshot.projections, values.revision > revision else { return nil }
            revision = values.revision
            switch state {
            case .current(let value):
                if let isSame = sequence.isSame {
                    if let last, isSame(last, value) { return nil }
                    last = value
                }
                return value
            case .failed(let failure, _): throw StoreError(failure, of: P.self)
            case .pending:
                if let failure = sequence.rebuilder?.failure { throw failure }
                return nil
            }
        }
    }
}
