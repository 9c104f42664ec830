/// The comparison of stored records with the key paths of the indexes, see `IndexBinding`.
extension Snapshot {
    /// Compares the records of all tables.
    ///
    /// - Throws: `StoreError` with `.invalidSchema` if an index reads another field than its key
    ///   path.
    mutating func compareFields() throws {
        for index in tables.indices { try tables[index].compareFields() }
    }
}

extension Table {
    /// At least this many records are decoded and compared, and as many in which an optional field
    /// is absent.
    private static let readMin = 16

    /// Among this many records one is searched that lacks an optional field.
    private static let searchedForAbsenceMax = 10_000

    /// A table that was not compared decodes this many records to use an index.
    private static let readBeforeQueryMax = 32

    /// Compares records until no other field can be that of a key path.
    ///
    /// - Complexity: O(1) records where all fields differ; O(n) without decoding where two fields
    ///   have equal values in all records; O(n) with decoding for properties that are not stored.
    mutating func compareFields() throws {
        for index in indexes {
            if let binding = index.definition.binding { try compareRows(with: binding) }
        }
        areFieldsCompared = true
    }

    private func compareRows(with binding: IndexBinding) throws {
        var (readCount, absenceCount, searchedCount) = (0, 0, 0)
        try rows.forEach { row in
            // What its steps make of an older record, if they can, is what the type reads.
            let record = evolver.flatMap { try? row.bytes(evolvedBy: $0, entity) } ?? row.bytes
            searchedCount += 1
            let isRead: Bool
            switch try? binding.news(in: record) {
            case .name: isRead = true
            case .absence:
                absenceCount += 1
                isRead = absenceCount <= Self.readMin
            case .some(.none), nil: isRead = readCount < Self.readMin
            }
            if isRead {
                readCount += 1
                try binding.compare(stored: record, row.id)
            }
            let isAbsenceKnown =
                !binding.hasOptional || absenceCount >= Self.readMin
                || searchedCount >= Self.searchedForAbsenceMax
            return !binding.isConfirmed || readCount < Self.readMin || !isAbsenceKnown
        }
    }

    /// Whether queries may use an index: its keys agree with the values that are read.
    func mayUse(_ index: TableIndex) -> Bool {
        guard index.isFaithful, let binding = index.definition.binding, !binding.isRefuted else {
            return false
        }
        if areFieldsCompared || binding.isConfirmed { return true }
        // A state of the past: what it holds may contradict the type of today.
        var left = Self.readBeforeQueryMax
        do {
            try rows.forEach { row in
                let record = evolver.flatMap { try? row.bytes(evolvedBy: $0, entity) }
                try binding.compare(stored: record ?? row.bytes, row.id)
                left -= 1
                return left > 0 && !binding.isConfirmed
            }
        } catch {
            binding.refute()
        }
        return binding.isConfirmed && !binding.isRefuted
    }
}
