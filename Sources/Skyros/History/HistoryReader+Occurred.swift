import SkyrosLog

extension HistoryReader {
    /// The state at a time, of the events through `last` in the order in which they happened.
    ///
    /// - Parameters:
    ///   - index: finds the events that say when they happened; nil if the log is read.
    ///   - newest: a state of the log.
    /// - Complexity: that of `snapshot(asOf:from:)` if the events happened in the order of the log,
    ///   and that of `HistoryIndex.happened` or O(events) to know it; otherwise
    ///   O(events log events).
    /// - Throws: as `snapshot(asOf:)`.
    func snapshot(
        occurred time: EventTime, knownThrough last: SequenceNumber, in index: HistoryIndex?,
        from newest: Snapshot, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> OccurredSnapshot {
        let border = try requireKept(time)
        if let index {
            let order = try index.happened(through: last)
            if order.isThatOfTheLog {
                try require(order.times.map { EventTime(microseconds: $0.start) }, after: border)
                let past = try EventReader(log).lastSequence(
                    until: time, through: last, by: \.happenedAt)
                return try plain(past, newest)
            }
        }
        let order = try order(through: last)
        try require(order.happened.map(\.time).min(), after: border)
        if order.isThatOfTheLog {
            let count = order.happened.count { $0.time <= time }
            return try plain(EventReader(log).first.advanced(by: count - 1), newest)
        }
        let happened = order.happened.filter { $0.time <= time }.sorted { $0.precedes($1) }
        return try fold(happened.map(\.sequence), at: time, progress: progress)
    }

    /// One record at a time, of the events through `last` in the order in which they happened, in
    /// the shape that it had; nil if there was none.
    ///
    /// - Complexity: O(versions of the record), each with a part of the log.
    func row(
        of entity: String, _ id: RecordID, occurred time: EventTime,
        knownThrough last: SequenceNumber, in index: HistoryIndex
    ) throws -> HistoryRow? {
        let key = HistoryKey(entity, id)
        let versions =
            try index.versions(of: key, through: last)
            + index.versions(of: HistoryKey(entity, nil), through: last)
        let border = try requireKept(time)
        let kept = versions.first { $0.kind == .kept }
        let events = try Set(versions.filter { $0.kind != .kept }.map(\.sequence)).sorted()
            .compactMap { try EventReader(log).event($0) }
        try require(events.map(\.happenedAt).min(), after: border)
        let happened = events.filter { $0.happenedAt <= time }.sorted {
            ($0.happenedAt, $0.sequence) < ($1.happenedAt, $1.sequence)
        }
        var fold = OccurredFold(empty)
        if let kept { try fold.insert(kept, of: key) }
        for event in happened { try fold.apply(event, only: key) }
        return fold.snapshot.table(entity)?.row(id).map { HistoryRow($0, of: entity) }
    }

    /// Throws unless the log keeps all that happened after a time; returns the time until which
    /// the pruned events happened.
    private func requireKept(_ time: EventTime) throws -> EventTime? {
        guard let floor = log.floor else { return nil }
        let border = try max(
            EventTime(microseconds: floor.time), FloorState(floor).happenedUntil)
        if time >= border { return border }
        throw StoreError.belowFloor("what happened at \(time) is not kept", EventReader(log).first)
    }

    /// Throws if the event that happened first did so between those that were pruned: their order
    /// is not known any more.
    private func require(_ time: EventTime?, after border: EventTime?) throws {
        guard let border, let time, time < border else { return }
        throw StoreError.belowFloor(
            "an event happened at \(time), between events that are not kept",
            EventReader(log).first)
    }

    private func plain(
        _ sequence: SequenceNumber, _ newest: Snapshot
    ) throws -> OccurredSnapshot {
        OccurredSnapshot(
            snapshot: try snapshot(asOf: .sequence(sequence), from: newest), misfits: [])
    }

    private struct Happening {
        let time: EventTime
        let sequence: SequenceNumber

        func precedes(_ other: Happening) -> Bool {
            (time, sequence) < (other.time, other.sequence)
        }
    }

    /// When each event through `last` happened, in the order of the log.
    private func order(
        through last: SequenceNumber
    ) throws -> (happened: [Happening], isThatOfTheLog: Bool) {
        var happened: [Happening] = []
        var order = HappeningOrder()
        let reader = EventReader(log)
        try reader.forEach(from: reader.first, through: last) { event, _ in
            order.append(event.happenedAt)
            happened.append(Happening(time: event.happenedAt, sequence: event.sequence))
            return true
        }
        return (happened, order.isThatOfTheLog)
    }

    private func fold(
        _ sequences: [SequenceNumber], at time: EventTime, progress: (SequenceNumber) -> Void
    ) throws -> OccurredSnapshot {
        var chunks = ChunkCache(log)
        var fold = OccurredFold(try beginning())
        for sequence in sequences {
            try fold.apply(try chunks.event(sequence))
            progress(sequence)
        }
        var state = fold.snapshot
        // No event of the log leads to this state, and no chain hash is that of it.
        state.move(
            to: sequences.max() ?? state.sequence, time: time, rawChainHash: ~last.rawValue)
        return OccurredSnapshot(snapshot: state, misfits: fold.misfits)
    }
}
