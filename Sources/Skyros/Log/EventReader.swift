import SkyrosLog

/// Reads events from a log.
struct EventReader {
    private let log: any LogReader

    init(_ log: any LogReader) {
        self.log = log
    }

    /// Calls `body` with the events from `first` on, each with the chain hash through it,
    /// until it returns false or `last` is reached.
    ///
    /// - Throws: `StoreError` if the log is damaged, or an event cannot be understood.
    func forEach(
        from first: SequenceNumber, through last: SequenceNumber,
        _ body: (Event, ChainHash) throws -> Bool
    ) throws {
        try forEachEncoded(from: first, through: last) { sequence, bytes, chainHash in
            try body(EventCoding.event(from: bytes, expecting: sequence), chainHash)
        }
    }

    /// The same without decoding: `body` gets the bytes of each event, valid for the call only.
    func forEachEncoded(
        from first: SequenceNumber, through last: SequenceNumber,
        _ body: (SequenceNumber, UnsafeRawBufferPointer, ChainHash) throws -> Bool
    ) throws {
        var next = max(first, .zero.next).rawValue
        while next <= last.rawValue {
            guard let chunk = try chunk(containing: next) else { return }
            var chainHash = chunk.chainHashBefore
            let isWanted = try chunk.forEach(from: chunk.firstSequence) { sequence, bytes in
                chainHash = chainHash.advanced(by: XXH64.hash(bytes))
                if sequence < next { return true }
                guard sequence <= last.rawValue else { return false }
                return try body(SequenceNumber(rawValue: sequence), bytes, chainHash)
            }
            guard isWanted else { return }
            next = chunk.lastSequence + 1
        }
    }

    /// Calls `body` with the events from `last` back to `first`, until it returns false.
    ///
    /// - Returns: whether it has never returned false.
    /// - Complexity: memory for the events of one chunk of the log.
    /// - Throws: as `forEach(from:through:_:)`.
    func forEachReversed(
        from last: SequenceNumber, downTo first: SequenceNumber, _ body: (Event) throws -> Bool
    ) throws -> Bool {
        var next = last.rawValue
        while next >= first.rawValue, next > 0 {
            guard let chunk = try chunk(containing: next) else { return false }
            let start = max(chunk.firstSequence, first.rawValue)
            var events: [Event] = []
            _ = try chunk.forEach(from: start) { sequence, bytes in
                guard sequence <= next else { return false }
                let expected = SequenceNumber(rawValue: sequence)
                events.append(try EventCoding.event(from: bytes, expecting: expected))
                return true
            }
            for event in events.reversed() {
                if try !body(event) { return false }
            }
            next = start - 1
        }
        return true
    }

    /// The first event that the log keeps, or will hold.
    var first: SequenceNumber { SequenceNumber(rawValue: log.firstSequence) }

    /// The floor of the log, if it was pruned through this event.
    private func floor(at sequence: SequenceNumber) -> LogFloor? {
        log.floor.flatMap { $0.head.sequence == sequence.rawValue ? $0 : nil }
    }

    /// The chain hash through the event `sequence`; nil if the log does not hold it yet.
    ///
    /// - Throws: `StoreError` with `.belowFloor` for an event that was pruned, but for the last of
    ///   them.
    func check(through sequence: SequenceNumber) throws -> ChainHash? {
        if let floor = floor(at: sequence) { return floor.head.chainHash }
        return try chunk(containing: sequence.rawValue)?.chainHash(through: sequence.rawValue)
    }

    /// The chain hash through an event, and the time that the event says.
    typealias Stamp = (chainHash: ChainHash, time: EventTime?)

    /// The stamp of the event `sequence`; nil if the log does not hold it yet.
    ///
    /// - Throws: as `check(through:)`.
    func stamp(of sequence: SequenceNumber) throws -> Stamp? {
        if let floor = floor(at: sequence) {
            return (floor.head.chainHash, EventTime(microseconds: floor.time))
        }
        guard let chunk = try chunk(containing: sequence.rawValue) else { return nil }
        var time: EventTime?
        _ = chunk.forEach(from: sequence.rawValue) { _, bytes in
            time = EventCoding.time(of: bytes)
            return false
        }
        return (chunk.chainHash(through: sequence.rawValue), time)
    }

    /// Whether the log has the history of a state up to its last event, and that event its time.
    func holds(_ state: Snapshot) throws -> Bool {
        guard let stamp = try stamp(of: state.sequence) else { return false }
        return stamp.chainHash == state.chainHash && stamp.time ?? state.time == state.time
    }

    /// The first event that is not earlier than `time`; the number after `last` if all are.
    ///
    /// - Parameter eventTime: the time of an event, which ascends in the log.
    /// - Complexity: O(log n) parts of the log.
    /// - Throws: `StoreError` with `.belowFloor` if it was pruned.
    func firstSequence(
        since time: EventTime, through last: SequenceNumber,
        by eventTime: (Event) -> EventTime = \.time
    ) throws -> SequenceNumber {
        // The wanted number is in lower...upper.
        var lower = first.rawValue
        var upper = max(lower, last.rawValue + 1)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            let sequence = SequenceNumber(rawValue: middle)
            guard let event = try event(sequence) else {
                throw StoreError(
                    .noSuchEvent, "the log does not hold event \(sequence)",
                    at: StoreError.Place(sequences: sequence...sequence))
            }
            if eventTime(event) < time { lower = middle + 1 } else { upper = middle }
        }
        if let floor = log.floor, lower == floor.firstSequence, time.microseconds <= floor.time {
            throw StoreError.belowFloor(
                "\(time) is before the history that is kept", SequenceNumber(rawValue: lower))
        }
        return SequenceNumber(rawValue: lower)
    }

    /// The last event that is not later than `time`; the number before the first if all are.
    ///
    /// - Complexity: and throws: as `firstSequence(since:through:by:)`.
    func lastSequence(
        until time: EventTime, through last: SequenceNumber,
        by eventTime: (Event) -> EventTime = \.time
    ) throws -> SequenceNumber {
        guard time.microseconds < .max else { return last }
        let later = EventTime(microseconds: time.microseconds + 1)
        let next = try firstSequence(since: later, through: last, by: eventTime)
        return SequenceNumber(rawValue: next.rawValue - 1)
    }

    /// The chunk of the log with an event; nil if the log does not hold it yet.
    ///
    /// - Throws: `StoreError` with `.belowFloor` if the event was pruned.
    func chunk(containing sequence: UInt64) throws -> LogChunk? {
        do throws(LogError) {
            if let chunk = try log.chunk(containing: sequence) { return chunk }
        } catch {
            // Its file may just have been removed.
            if sequence >= log.firstSequence { throw StoreError(error) }
        }
        if sequence < log.firstSequence, sequence > 0 {
            throw StoreError.belowFloor("event \(sequence) is not kept", first)
        }
        return nil
    }

    /// What `part` decodes at a time, in bytes of the log.
    static let partBytesMax = 1 << 20

    /// The event `first` and those after it that the log stores in the same chunk, through `last`
    /// at most, and not more than `partBytesMax`, or one larger event; none if the log does not
    /// hold `first`.
    func part(from first: SequenceNumber, through last: SequenceNumber) throws -> [Event] {
        guard let chunk = try chunk(containing: first.rawValue) else { return [] }
        var events: [Event] = []
        var byteCount = 0
        _ = try chunk.forEach(from: first.rawValue) { sequence, bytes in
            guard sequence <= last.rawValue else { return false }
            byteCount += bytes.count
            guard events.isEmpty || byteCount <= Self.partBytesMax else { return false }
            let expected = SequenceNumber(rawValue: sequence)
            events.append(try EventCoding.event(from: bytes, expecting: expected))
            return true
        }
        return events
    }

    /// The event `sequence`; nil if the log does not hold it.
    func event(_ sequence: SequenceNumber) throws -> Event? {
        try part(from: sequence, through: sequence).first
    }
}
