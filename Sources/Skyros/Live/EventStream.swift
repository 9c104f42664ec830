import SkyrosLog

/// The events of a store from some place on, then each new one as it is written.
///
///     for try await event in store.events(from: 1) {
///         …
///     }
///
/// Nothing is queued up between writer and reader: events are read from the log when they are
/// asked for, so a slow reader costs no memory and misses nothing. The sequence ends when the
/// store is closed or the task cancelled. Each iterator is on its own.
public struct EventStream: AsyncSequence, Sendable {
    /// What the stream gives.
    public typealias Element = Event

    let log: any LogReader
    let signal: EventSignal
    let first: SequenceNumber

    /// An iterator of its own, which begins with the first event of the stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(log: log, signal: signal, next: first)
    }

    /// Reads one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let log: any LogReader
        let signal: EventSignal
        var next: SequenceNumber
        /// Events that were read together and not handed out yet, the next one last.
        private var ready: [Event] = []

        /// How many events are read at once.
        private static let readCountMax = 128

        init(log: any LogReader, signal: EventSignal, next: SequenceNumber) {
            self.log = log
            self.signal = signal
            self.next = next
        }

        /// The next event; nil when the store is closed or the task cancelled.
        ///
        /// - Throws: `StoreError` if the log cannot be read.
        public mutating func next() async throws -> Event? {
            if ready.isEmpty {
                guard !Task.isCancelled else { return nil }
                let before = SequenceNumber(rawValue: next.rawValue - 1)
                guard await signal.wait(after: before) else { return nil }
                try readMore()
            }
            guard let event = ready.popLast() else { return nil }
            next = event.sequence.next
            return event
        }

        private mutating func readMore() throws {
            var events: [Event] = []
            let last = signal.last
            try EventReader(log).forEach(from: next, through: last) { event, _ in
                events.append(event)
                return events.count < Self.readCountMax
            }
            ready = events.reversed()
        }
    }
}
