import SkyrosLog

// Answers from the versions that an index of the history gives.

extension HistoryReader {
    /// The changes of one record, oldest first, as `history(of:_:progress:)`.
    ///
    /// - Complexity: O(versions of the record), see `HistoryIndex.versions`.
    func history(
        of entity: String, _ id: RecordID, in index: HistoryIndex
    ) throws -> [HistoryEntry] {
        // One moment for both questions: other threads may be writing.
        let last = last
        let versions = try index.versions(of: HistoryKey(entity, id), through: last)
        guard !versions.isEmpty else { return [] }
        let clearings = try index.versions(of: HistoryKey(entity, nil), through: last)
        var builder = HistoryBuilder(HistoryKey(entity, id), EventReader(log))
        var next = clearings.startIndex
        for version in versions {
            while next < clearings.endIndex, clearings[next].precedes(version) {
                try builder.append(clearings[next])
                next += 1
            }
            try builder.append(version)
        }
        for clearing in clearings[next...] { try builder.append(clearing) }
        return builder.entries
    }

    /// One record as it was after an event, in the shape that it had; nil if there was none.
    ///
    /// - Complexity: see `HistoryIndex.newestVersions`.
    func row(
        of entity: String, _ id: RecordID, asOf sequence: SequenceNumber, in index: HistoryIndex
    ) throws -> HistoryRow? {
        let key = HistoryKey(entity, id)
        let versions = try index.newestVersions(of: key, through: sequence)
        guard let newest = versions.last, newest.kind != .deleted else { return nil }
        let clearings = try index.newestVersions(of: HistoryKey(entity, nil), through: sequence)
        if let clearing = clearings.last, newest.precedes(clearing) { return nil }
        var builder = HistoryBuilder(key, EventReader(log))
        for version in versions { try builder.advance(to: version) }
        return builder.row
    }
}
