import SkyrosLog

/// The events of a store after some sequence, then each new one as it is written.
///
///     for try await event in store.changes(after: lastSeen) {
///         …
///     }
///
/// There is no queue between the writer and the reader: the stream reads events from the log on
/// demand. A slow reader costs no memory and misses nothing. The stream is bound to its first event
/// when it is made, so a task that iterates it later misses nothing either:
///
///     let changes = store.changes()
///     Task { for try await event in changes { … } }
///
/// The stream ends when the store is closed or the task is cancelled. Each iterator is independent.
public struct EventStream: AsyncSequence, Sendable {
    /// An event of the log.
    public typealias Element = Event

    let log: any LogReader
    let signal: EventSignal
    let first: SequenceNumber

    /// An iterator that begins with the first event of the stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(signal: signal, buffer: EventBuffer(log, next: first))
    }

    /// Reads one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let signal: EventSignal
        var buffer: EventBuffer

        /// The next event; nil when the store is closed or the task is cancelled.
        ///
        /// - Throws: `StoreError` if the log cannot be read; with `.erased` after `destroy` or
        ///   `nuke`.
        public mutating func next() async throws -> Event? {
            try await next(on: nil)
        }

        /// The next event, as `next`, read on an actor.
        mutating func next(on actor: isolated (any Actor)?) async throws -> Event? {
            try signal.check()
            if !buffer.hasEvent {
                guard !Task.isCancelled else { return nil }
                let before = SequenceNumber(rawValue: buffer.sequence.rawValue - 1)
                guard await signal.wait(after: before) else {
                    try signal.check()
                    return nil
                }
            }
            do {
                return try buffer.next(through: signal.last)
            } catch {
                // Files that are being erased cannot be read.
                try signal.check()
                throw error
            }
        }
    }
}
