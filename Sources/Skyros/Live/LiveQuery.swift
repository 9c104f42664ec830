/// The result of a query, now and after each event that changes it.
///
///     for try await cards in store.live(Card.self, where: \.board == id, sortedBy: \.rank) {
///         show(cards)
///     }
///
/// The first result comes immediately. A further one comes after an event that has changed the
/// result, one for each event; a reader that is slower than the writer gets the newest result and
/// skips those between. Every result is the state after one event. Results are kept up from the
/// changed records: the query runs once, see the article <doc:LiveQueries> for the exceptions.
///
/// The sequence ends when the store is closed, after the last result, or when the task is
/// cancelled. It does not keep the store open. Each iterator is independent, belongs to one task,
/// and ends its registration when it is released. Filters, comparisons and decoding run on a thread
/// of the cooperative pool: not on the writer's thread, and not on the reader's actor.
public struct LiveQuery<E: Entity>: AsyncSequence, Sendable {
    /// The records, in the order of the request.
    public typealias Element = [E]

    /// Errors end the sequence: `.notDecodable` if a record of the result does not fit the type,
    /// `.filterFailed` if the filter threw, `.unknownEntity`.
    public typealias Failure = StoreError

    /// The request.
    public let request: FetchRequest<E>
    /// The kinds of changes after which there is a new result.
    public let kinds: ChangeKinds
    private let hub: LiveHub

    init(_ request: FetchRequest<E>, on kinds: ChangeKinds, _ hub: LiveHub) {
        self.request = request
        self.kinds = kinds
        self.hub = hub
    }

    /// A page that has not begun.
    func makePage() -> LivePage<E> { LivePage(request, on: kinds, hub) }

    /// An iterator that begins with the result of the newest state.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(cursor: LiveCursor(makePage()))
    }

    /// Waits for one result after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let cursor: LiveCursor<E>

        /// The next result; nil when the store is closed or the task is cancelled.
        ///
        /// - Throws: `StoreError`, see ``LiveQuery/Failure``; the sequence has ended then.
        /// - Complexity: O(records of the result); the first one is that of a fetch.
        public mutating func next() async throws(StoreError) -> [E]? {
            try await cursor.next()
        }

        /// The next result, as `next`, for a reader that is isolated to an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(StoreError) -> [E]? {
            try await cursor.next()
        }
    }
}
