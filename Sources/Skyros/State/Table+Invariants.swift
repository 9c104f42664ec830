import SkyrosDisk

/// The invariants of a table, which are checked after each mutation under `InvariantChecks`.
extension Table {
    /// Stops the process if the mutation of this record broke an invariant. O(log n); of many
    /// calls, some check the whole table.
    func checkInvariants(near id: RecordID) {
        // Each row is found, and made into keys.
        let isWhole = InvariantChecks.isWholeCheckDue(size: 4 * count)
        let broken =
            brokenCounts() ?? row(id).flatMap { self.broken($0) }
            ?? (isWhole ? brokenRow() : nil)
        InvariantChecks.require(broken, in: "the table \(entity)")
    }

    /// Stops the process if an invariant is broken. O(n log n).
    func checkWhole() {
        InvariantChecks.require(brokenInvariant(), in: "the table \(entity)")
    }

    /// The first invariant that the table breaks, as a sentence; nil if none. O(n log n).
    func brokenInvariant() -> String? {
        brokenCounts() ?? brokenRow() ?? brokenElementCounts() ?? brokenOldestVersion()
    }

    /// The count of older rows names another version as the oldest than the rows have.
    private func brokenOldestVersion() -> String? {
        guard let evolver else { return nil }
        var oldest = evolver.version
        rows.forEach { row in
            oldest = min(oldest, row.version)
            return true
        }
        let counted = olderRows.oldestVersion ?? evolver.version
        return counted == oldest ? nil : "the oldest row is of version \(oldest), not \(counted)"
    }

    /// Of an index with an entry for each element, the number is not that of the rows.
    private func brokenElementCounts() -> String? {
        for index in indexes where index.definition.isMultiValued && !isFolding {
            var keyCount = 0
            rows.forEach { row in
                try? index.definition.forEachKey(of: row) { _ in keyCount += 1 }
                return true
            }
            if index.tree.count != keyCount {
                return "an index has \(index.tree.count) entries of \(keyCount) elements"
            }
        }
        return nil
    }

    private func brokenCounts() -> String? {
        if isFolding { return nil }
        for index in indexes where index.tree.count != count && !index.definition.isMultiValued {
            return "an index has \(index.tree.count) entries of \(count) rows"
        }
        return nil
    }

    private func brokenRow() -> String? {
        var sentence: String?
        rows.forEach { row in
            sentence = broken(row)
            return sentence == nil
        }
        return sentence
    }

    private func broken(_ row: Row) -> String? {
        if row.hash != hash(row.id) { return "a row's hash is not that of its id" }
        if row.number >= nextNumber { return "a row has a number that will be given again" }
        for index in indexes where !isFolding {
            var isMissing = false
            // A record that cannot be read has no key; it is refused elsewhere.
            try? index.definition.forEachKey(of: row) { key in
                if !index.contains(key, where: { $0 === row }) { isMissing = true }
            }
            if isMissing {
                return "the row \(row.id) is missing in the index of \(index.definition.fields)"
            }
        }
        return nil
    }
}
