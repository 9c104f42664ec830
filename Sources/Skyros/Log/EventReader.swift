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
        var next = max(first, .zero.next).rawValue
        while next <= last.rawValue {
            guard let chunk = try chunk(containing: next) else { return }
            var chainHash = chunk.chainHashBefore
            let goesOn = try chunk.forEach(from: chunk.firstSequence) { sequence, bytes in
                chainHash = chainHash.advanced(by: XXH64.hash(bytes))
                if sequence < next { return true }
                guard sequence <= last.rawValue else { return false }
                let expected = SequenceNumber(rawValue: sequence)
                return try body(EventCoding.event(from: bytes, expecting: expected), chainHash)
            }
            guard goesOn else { return }
            next = chunk.lastSequence + 1
        }
    }

    /// The chain hash through the event `sequence`; nil if the log does not hold it.
    func check(through sequence: SequenceNumber) throws -> ChainHash? {
        guard let chunk = try chunk(containing: sequence.rawValue) else { return nil }
        var chainHash = chunk.chainHashBefore
        _ = chunk.forEach(from: chunk.firstSequence) { own, bytes in
            guard own <= sequence.rawValue else { return false }
            chainHash = chainHash.advanced(by: XXH64.hash(bytes))
            return true
        }
        return chainHash
    }

    private func chunk(containing sequence: UInt64) throws -> LogChunk? {
        try StoreError.wrap(try log.chunk(containing: sequence))
    }

    /// The event `first` and those after it that the log stores in the same chunk, through `last`
    /// at most; none if the log does not hold `first`.
    func part(from first: SequenceNumber, through last: SequenceNumber) throws -> [Event] {
        guard let chunk = try chunk(containing: first.rawValue) else { return [] }
        var events: [Event] = []
        _ = try chunk.forEach(from: first.rawValue) { sequence, bytes in
            guard sequence <= last.rawValue else { return false }
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
