import SkyrosLog

extension Archive {
    /// The chain hash through an event, as 16 hexadecimal digits: another history has another.
    ///
    /// - Parameter sequence: 0 for the beginning of the log.
    /// - Throws: `StoreError` with `.noSuchEvent` if the log ends before it, `.belowFloor` if it
    ///   was pruned and is not the last of those; `.logCorrupt` and the like if the log is damaged.
    package func chainText(through sequence: SequenceNumber) throws -> String {
        try historyReader.chainHash(through: sequence).description
    }
}
