import SkyrosLog

/// The correlations of events of which a floor takes some, and the log keeps others: they cannot be
/// undone as a whole any more.
struct CutCorrelations {
    /// Those of the events that are pruned, by their hashes.
    private var pruned: Set<UInt64>

    /// - Parameter former: those of the floor before.
    init(_ former: [String]) {
        pruned = Set(former.map(Self.hash))
    }

    private static func hash(_ correlation: String) -> UInt64 {
        XXH64.hash(Array(correlation.utf8))
    }

    /// Takes note of an event that is pruned.
    mutating func note(_ event: borrowing Event) {
        if let correlation = event.metadata.correlation { pruned.insert(Self.hash(correlation)) }
    }

    /// Those that events from `first` on have, too, sorted by their bytes.
    ///
    /// - Complexity: O(events that the log keeps).
    func list(keptFrom first: SequenceNumber, in log: any LogReader) throws -> [String] {
        if pruned.isEmpty { return [] }
        // By the hash: two texts that Swift takes for equal may have other bytes.
        var found: [UInt64: String] = [:]
        let last = SequenceNumber(rawValue: log.head.sequence)
        try EventReader(log).forEach(from: first, through: last) { event, _ in
            guard let correlation = event.metadata.correlation else { return true }
            let hash = Self.hash(correlation)
            if pruned.contains(hash) { found[hash] = correlation }
            return true
        }
        return found.values.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
