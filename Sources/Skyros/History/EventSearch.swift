import SkyrosLog

/// The events of a range that pass a filter, found by the index of the history where there is one.
struct EventSearch: Sendable {
    let reader: HistoryReader
    let index: HistoryIndex?
    let filter: EventFilter
    let first: SequenceNumber
    let last: SequenceNumber
    let newestFirst: Bool

    /// The range of the events that are not too early and not too late; nil if there are none.
    private func bounds() throws -> ClosedRange<UInt64>? {
        try filter.checkDates()
        let log = EventReader(reader.log)
        let end = min(last, reader.last)
        guard first >= log.first else {
            throw StoreError.belowFloor("event \(first) is not kept", log.first)
        }
        var (lower, upper) = (first, end)
        if let since = filter.since {
            lower = max(lower, try log.firstSequence(since: since, through: end))
        }
        if let until = filter.until {
            upper = min(upper, try log.lastSequence(until: until, through: end))
        }
        try narrow(&lower, &upper, through: end)
        return lower <= upper ? lower.rawValue...upper.rawValue : nil
    }

    /// Leaves out what happened too early and too late, if the events through `end` happened in the
    /// order of the log.
    private func narrow(
        _ lower: inout SequenceNumber, _ upper: inout SequenceNumber, through end: SequenceNumber
    ) throws {
        let (since, until) = (filter.occurredSince, filter.occurredUntil)
        guard since != nil || until != nil, let index,
            try index.happened(through: end).isThatOfTheLog
        else { return }
        let log = EventReader(reader.log)
        // What was pruned may have happened later than what is kept: such a time narrows nothing.
        let floorTime = reader.log.floor?.time ?? .min
        if let since, since.microseconds > floorTime {
            let first = try log.firstSequence(since: since, through: end, by: \.happenedAt)
            lower = max(lower, first)
        }
        if let until, until.microseconds >= floorTime {
            let last = try log.lastSequence(until: until, through: end, by: \.happenedAt)
            upper = min(upper, last)
        }
    }

    /// The stretches of the log in which to search, those first that are read last.
    private func stretches() throws -> [Stretch] {
        // Several questions about the same history.
        try reader.log.whileFloorStays { try stretchesNow() }
    }

    private func stretchesNow() throws -> [Stretch] {
        guard let bounds = try bounds() else { return [] }
        if !filter.ids.isEmpty {
            let list = try sequences(through: bounds.upperBound).filter { bounds.contains($0) }
            return [Stretch(range: bounds, source: .known(list))]
        }
        guard let index else { return [Stretch(range: bounds, source: .log)] }
        let (parts, tail) = index.current()
        var list = parts.map { Stretch(range: $0.sequences, source: .part($0)) }
        if bounds.upperBound > tail.start.rawValue {
            let range = tail.start.next.rawValue...bounds.upperBound
            list.append(Stretch(range: range, source: .tail(tail)))
        }
        list = list.filter { $0.range.overlaps(bounds) }.map { stretch in
            Stretch(range: stretch.range.clamped(to: bounds), source: stretch.source)
        }
        return newestFirst ? list : list.reversed()
    }

    /// The events through `last` that change one of the filter's records, in order.
    private func sequences(through last: UInt64) throws -> [UInt64] {
        let last = SequenceNumber(rawValue: last)
        guard let index,
            let entities = try filter.entity.map({ [$0] }) ?? index.entities(through: last)
        else { return try scan(through: last) }
        var sequences = Set<UInt64>()
        for entity in entities {
            for id in filter.ids {
                let history = try reader.history(of: entity, id, in: index)
                sequences.formUnion(history.lazy.map(\.sequence.rawValue))
            }
        }
        return sequences.sorted()
    }

    /// The same without an index.
    private func scan(through last: SequenceNumber) throws -> [UInt64] {
        var (watch, sequences): (RecordWatch, [UInt64]) = (RecordWatch(filter.ids), [])
        let log = EventReader(reader.log)
        if let floor = reader.log.floor {
            try FloorState(floor).forEach { key, _ in watch.note(kept: key) }
        }
        try log.forEach(from: log.first, through: last) { event, _ in
            var isFound = false
            for change in event.changes where watch.note(change) {
                if filter.entity.map({ change.entity.isSameName(as: $0) }) ?? true {
                    isFound = true
                }
            }
            if isFound { sequences.append(event.sequence.rawValue) }
            return true
        }
        return sequences
    }

    /// The events of a stretch that may pass the filter.
    private func candidates(in stretch: Stretch) throws -> EventCandidates {
        let found: [UInt64]? =
            switch stretch.source {
            case .log: nil
            case .known(let list): list
            case .part(let part): try index?.candidates(for: filter, of: part, in: stretch.range)
            case .tail(let tail): try index?.candidates(for: filter, of: tail, in: stretch.range)
            }
        return found.map { .some($0[...]) } ?? .all(stretch.range)
    }

    private func passes(_ event: Event) -> Bool {
        filter.ids.isEmpty ? filter.matches(event) : filter.hasMetadata(of: event)
    }

    /// A part of the log, and what says which of its events may pass.
    private struct Stretch {
        enum Source {
            case log
            case known([UInt64])
            case part(HistoryIndex.Part)
            case tail(RunTail)
        }

        let range: ClosedRange<UInt64>
        let source: Source
    }
}

extension EventSearch {
    /// A position in what is found.
    struct Cursor {
        private let search: EventSearch
        /// What is to be searched, the next one last; nil before the first event.
        private var stretches: [Stretch]?
        private var candidates = EventCandidates.none
        /// The events that were read and not returned yet, the next one last.
        private var pending: [Event] = []

        init(_ search: EventSearch) {
            self.search = search
        }

        /// The next event; nil after the last.
        mutating func next() throws -> Event? {
            while true {
                if let event = pending.popLast() { return event }
                if candidates.isEmpty {
                    guard try nextStretch() else { return nil }
                    continue
                }
                let events = try EventReader(search.reader.log).events(
                    &candidates, newestFirst: search.newestFirst, where: search.passes)
                pending = search.newestFirst ? events : events.reversed()
            }
        }

        private mutating func nextStretch() throws -> Bool {
            var rest = try stretches ?? search.stretches()
            let stretch = rest.popLast()
            stretches = rest
            guard let stretch else { return false }
            candidates = try search.candidates(in: stretch)
            return true
        }
    }
}
