import SkyrosLog

extension Archive {
    /// The first event that is not earlier than `time`; the number after the last one if all are.
    ///
    /// The times of events ascend, so it reads O(log(events)) parts of the log.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func firstSequence(since time: EventTime) throws -> SequenceNumber {
        // The wanted number is in lower...upper.
        var lower: UInt64 = 1
        var upper = sequence.rawValue + 1
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            guard let event = try event(SequenceNumber(rawValue: middle)) else { break }
            if event.time < time { lower = middle + 1 } else { upper = middle }
        }
        return SequenceNumber(rawValue: lower)
    }
}
