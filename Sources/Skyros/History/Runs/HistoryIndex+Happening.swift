import SkyrosLog

extension HistoryIndex {
    /// When the events through `last` happened, from the first one that the log keeps on.
    ///
    /// The end is that of a run which goes beyond `last`.
    ///
    /// - Complexity: O(runs), and O(events) of the parts for which there is no run.
    func happened(through last: SequenceNumber) throws -> HappeningOrder {
        let (parts, tail) = current()
        var order = HappeningOrder()
        for part in parts where part.sequences.lowerBound <= last.rawValue {
            // The events of a run up to `last` may be in order where not all are.
            if case .run(let run) = part, run.header.happened != nil || run.last <= last.rawValue {
                order.append(run.header.happened)
            } else {
                try read(part.sequences, through: last, into: &order)
            }
            if !order.isThatOfTheLog { return order }
        }
        guard last > tail.start else { return order }
        guard let times = try tail.happened(through: last, in: EventReader(log)) else {
            try read(tail.start.rawValue + 1...last.rawValue, through: last, into: &order)
            return order
        }
        for time in times { order.append(time) }
        return order
    }

    private func read(
        _ sequences: ClosedRange<UInt64>, through last: SequenceNumber,
        into order: inout HappeningOrder
    ) throws {
        let first = SequenceNumber(rawValue: sequences.lowerBound)
        let end = min(last, SequenceNumber(rawValue: sequences.upperBound))
        try EventReader(log).forEach(from: first, through: end) { event, _ in
            order.append(event.happenedAt)
            return order.isThatOfTheLog
        }
    }
}
