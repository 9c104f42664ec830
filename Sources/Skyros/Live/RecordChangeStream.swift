/// The changes of the records of one type, event by event, with the values before and after.
///
///     for try await event in store.changes(of: Card.self, on: .updates) {
///         for change in event.changes {
///             print(try change.before?.title ?? "-", try change.after?.title ?? "-")
///         }
///     }
///
/// An event that changes no record of the type, or only in ways that are not wanted, is left out;
/// no other is. The stream is bound when it is made: what is written before a task iterates it is
/// not missed.
///
/// Events are read from the log, and folded on the type's records as they were before. There is no
/// queue: a slow reader does not hold up the writer, and keeps older versions of the records that
/// have changed since, at most one more copy of the type's records. The stream ends when the store
/// is closed or the task is cancelled, and does not keep the store open.
public struct RecordChangeStream<E: Entity>: AsyncSequence, Sendable {
    /// The changes of one event.
    public typealias Element = RecordChanges<E>

    /// `.logCorrupt` and the like if the log cannot be read, `.noSuchEvent` if the stream is to
    /// begin after an event that does not exist, `.filterFailed`, `.notDecodable` if the filter
    /// has to read a record that does not fit the type, `.unknownEntity`.
    public typealias Failure = StoreError

    let events: EventStream
    let view: MainView
    let filter: Filter<E>?
    let kinds: ChangeKinds
    /// The state before the first event.
    let begin: @Sendable () throws -> Snapshot

    /// An iterator that begins with the first event of the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(cursor: RecordChangeCursor(self))
    }

    /// Waits for one event after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let cursor: RecordChangeCursor<E>

        /// The changes of the next event; nil when the store is closed or the task is cancelled.
        ///
        /// - Throws: `StoreError`, see ``RecordChangeStream/Failure``.
        public mutating func next() async throws(StoreError) -> RecordChanges<E>? {
            try await cursor.next()
        }

        /// The changes of the next event, as `next`, for a reader that is isolated to an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(StoreError) -> RecordChanges<E>? {
            try await cursor.next()
        }
    }
}
