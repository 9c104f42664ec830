import SkyrosLog

/// The events of a range, read from the log on demand.
///
///     for try await event in store.events(100...200) { … }      // in asynchronous code
///     try store.events(100...200).forEach { event in … }        // anywhere
///     let all = try Array(store.events(100...200))
///
/// At most about 256 KiB of the log are in memory at a time, or one larger event. Iterating again
/// reads again. Each iterator belongs to one task or thread; the sequence itself may be shared.
public struct EventSequence: Sendable {
    private let log: any LogReader
    private let first: SequenceNumber
    private let last: SequenceNumber
    /// What finds the events, if not all are wanted, or the newest first.
    private var search: EventSearch?

    /// Makes the sequence of the events of `range` up to `end`, the last event that exists.
    init(_ log: any LogReader, _ range: some RangeExpression<SequenceNumber>, end: SequenceNumber) {
        let (first, last) = Self.bounds(of: range)
        self.init(
            log, from: Self.start(first, last, log), through: Swift.min(last, end))
    }

    /// The first event of a range with these bounds; nil for that with which the log begins.
    ///
    /// A range that ends below the floor begins there, so that reading it fails.
    private static func start(
        _ first: SequenceNumber?, _ last: SequenceNumber, _ log: any LogReader
    ) -> SequenceNumber? {
        if let first { return Swift.max(first, 1) }
        return last > .zero && last.rawValue < log.firstSequence ? 1 : nil
    }

    /// Makes the sequence of all events that the log keeps.
    init(_ log: any LogReader, end: SequenceNumber) {
        self.init(log, from: nil, through: end)
    }

    private init(_ log: any LogReader, from first: SequenceNumber?, through last: SequenceNumber) {
        self.log = log
        self.first = first ?? EventReader(log).first
        self.last = last
    }

    /// Makes the sequence of those events of `range` that pass a filter; nil for all that the log
    /// keeps.
    init(
        _ reader: HistoryReader, _ index: HistoryIndex?,
        _ range: (any RangeExpression<SequenceNumber>)?, _ filter: EventFilter, newestFirst: Bool
    ) {
        let bounds = range.map { Self.bounds(of: $0) }
        self.init(
            reader.log, from: bounds.flatMap { Self.start($0.0, $0.1, reader.log) },
            through: Swift.min(bounds?.1 ?? reader.last, reader.last))
        search = EventSearch(
            reader: reader, index: index, filter: filter, first: first, last: last,
            newestFirst: newestFirst)
    }

    /// The first event, nil for that with which the log begins, and the last.
    private static func bounds(
        of range: some RangeExpression<SequenceNumber>
    ) -> (SequenceNumber?, SequenceNumber) {
        // Half-open ranges do not contain the largest number.
        switch range {
        case let range as ClosedRange<SequenceNumber>: return (range.lowerBound, range.upperBound)
        case let range as PartialRangeThrough<SequenceNumber>: return (nil, range.upperBound)
        case let range as PartialRangeUpTo<SequenceNumber>:
            return (nil, range.upperBound.advanced(by: -1))
        default:
            let half = range.relative(to: .zero..<SequenceNumber(rawValue: .max))
            return (half.lowerBound, half.upperBound.advanced(by: -1))
        }
    }

    /// An iterator that begins with the first event.
    public func makeIterator() -> Iterator {
        Iterator(
            buffer: EventBuffer(log, next: first), last: last,
            cursor: search.map { EventSearch.Cursor($0) })
    }

    /// Calls `body` with each event, in order.
    ///
    /// - Throws: what `body` throws; `StoreError` with `.logCorrupt` and the like if the log is
    ///   damaged.
    public func forEach(_ body: (Event) throws -> Void) throws {
        var iterator = makeIterator()
        while let event = try iterator.next() { try body(event) }
    }

    /// Reads one event after the other.
    public struct Iterator {
        fileprivate var buffer: EventBuffer
        fileprivate let last: SequenceNumber
        /// What finds the events, if not all are wanted.
        fileprivate var cursor: EventSearch.Cursor?

        /// The next event; nil after the last.
        ///
        /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
        public mutating func next() throws -> Event? {
            if cursor != nil { return try cursor?.next() }
            return try buffer.next(through: last)
        }
    }
}

extension EventSequence: AsyncSequence {
    /// An event of the log.
    public typealias Element = Event

    /// An iterator that begins with the first event.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: makeIterator())
    }

    /// Reads one event after the other. Reading a part of the log blocks the thread until the disk
    /// has read it.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var iterator: Iterator

        /// The next event; nil after the last.
        ///
        /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
        public mutating func next() async throws -> Event? {
            try iterator.next()
        }
    }
}

extension Array<Event> {
    /// All events of a sequence.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public init(_ events: EventSequence) throws {
        self.init()
        try events.forEach { append($0) }
    }
}
