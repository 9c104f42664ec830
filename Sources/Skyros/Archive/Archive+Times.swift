import SkyrosLog

extension Archive {
    /// The first event that is not earlier than `time`; the number after the last one if all are.
    ///
    /// The times of events ascend, so it reads O(log(events)) parts of the log.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func firstSequence(since time: EventTime) throws -> SequenceNumber {
        try EventReader(log).firstSequence(since: time, through: sequence)
    }
}
