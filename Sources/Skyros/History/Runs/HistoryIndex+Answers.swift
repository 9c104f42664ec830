import SkyrosLog

extension HistoryIndex {
    /// All versions of a key through an event, oldest first.
    ///
    /// - Complexity: O(runs), and O(log n) frames of those that have the key; O(events) of the
    ///   parts for which there is no run.
    func versions(of key: HistoryKey, through last: SequenceNumber) throws -> [RecordVersion] {
        try log.whileFloorStays { try versionsNow(of: key, through: last) }
    }

    private func versionsNow(
        of key: HistoryKey, through last: SequenceNumber
    ) throws -> [RecordVersion] {
        let hash = key.hash
        let (parts, tail) = current()
        var versions = try keptVersion(of: key, through: last).map { [$0] } ?? []
        for part in parts where part.sequences.lowerBound <= last.rawValue {
            try append(part, orScanFor: key, through: last, to: &versions) { run, versions in
                try run.forEachVersion(of: key, hash: hash) { version in
                    guard version.sequence <= last else { return false }
                    versions.append(version)
                    return true
                }
            }
        }
        try versions += tailVersions(tail, of: key, through: last)
        return versions
    }

    /// The versions of a key that make its record as of an event: the newest, and those before it
    /// up to one with the whole record; oldest first. None if there is no version.
    ///
    /// - Complexity: as above; runs are asked from the newest back, and those before a whole record
    ///   are not.
    func newestVersions(
        of key: HistoryKey, through last: SequenceNumber
    ) throws -> [RecordVersion] {
        try log.whileFloorStays { try newestVersionsNow(of: key, through: last) }
    }

    private func newestVersionsNow(
        of key: HistoryKey, through last: SequenceNumber
    ) throws -> [RecordVersion] {
        let hash = key.hash
        let (parts, tail) = current()
        var versions = Self.needed(try tailVersions(tail, of: key, through: last))
        for part in parts.reversed() where part.sequences.lowerBound <= last.rawValue {
            if versions.first?.isWhole ?? false { break }
            var earlier: [RecordVersion] = []
            try append(part, orScanFor: key, through: last, to: &earlier) { run, versions in
                versions = try run.versions(of: key, hash: hash, through: last)
            }
            versions = Self.needed(earlier) + versions
        }
        if !(versions.first?.isWhole ?? false), let kept = try keptVersion(of: key, through: last) {
            return [kept] + versions
        }
        return versions
    }

    /// The versions from the last whole one on.
    private static func needed(_ versions: [RecordVersion]) -> [RecordVersion] {
        Array(versions[(versions.lastIndex { $0.isWhole } ?? 0)...])
    }

    /// Appends what a run says; the log if there is none, or it is damaged.
    private func append(
        _ part: Part, orScanFor key: HistoryKey, through last: SequenceNumber,
        to versions: inout [RecordVersion],
        _ body: (HistoryRun, inout [RecordVersion]) throws -> Void
    ) throws {
        let count = versions.count
        if case .run(let run) = part {
            do {
                return try body(run, &versions)
            } catch let error as LogError where error.file == run.name.path {
                remove(run, because: error)
                // The frames before the damaged one have given some.
                versions.removeSubrange(count...)
            }
        }
        let range = part.sequences
        versions += try scan(
            for: key, from: SequenceNumber(rawValue: range.lowerBound),
            through: min(last, SequenceNumber(rawValue: range.upperBound)))
    }

    private func tailVersions(
        _ tail: RunTail, of key: HistoryKey, through last: SequenceNumber
    ) throws -> [RecordVersion] {
        guard last > tail.start else { return [] }
        return try tail.versions(of: key, through: last, in: EventReader(log))
            ?? scan(for: key, from: tail.start.next, through: last)
    }

    /// The versions of a key in a part of the log. O(events).
    private func scan(
        for key: HistoryKey, from first: SequenceNumber, through last: SequenceNumber
    ) throws -> [RecordVersion] {
        var versions: [RecordVersion] = []
        try EventReader(log).forEach(from: first, through: last) { event, _ in
            versions += RecordVersion.list(of: event, for: [key])
            return true
        }
        return versions
    }
}

// MARK: - Tables

extension HistoryIndex {
    /// A table as it was after an event.
    ///
    /// - Parameter current: the newest state of it.
    /// - Complexity: O(n log n) for its records, and the frames of runs that have versions of them;
    ///   O(events) of the parts for which there is no run.
    func table(_ current: Table, through last: SequenceNumber) throws -> Table {
        try log.whileFloorStays {
            while true {
                if let table = try tableNow(current, through: last) { return table }
            }
        }
    }

    /// Nil if a run was damaged, and is removed now.
    private func tableNow(_ current: Table, through last: SequenceNumber) throws -> Table? {
        let clearings = try newestVersionsNow(of: HistoryKey(current.entity, nil), through: last)
        var table = PastTable(
            current, through: last, after: clearings.last, EventReader(log))
        if let floor = try keptState(through: last) { try table.append(floor) }
        let (parts, tail) = self.current()
        for part in parts where part.sequences.lowerBound <= last.rawValue {
            switch part {
            case .missing(let sequences): try table.append(sequences)
            case .run(let run):
                do {
                    try table.append(run)
                } catch let error as LogError where error.file == run.name.path {
                    // Versions of it are in the table.
                    remove(run, because: error)
                    return nil
                }
            }
        }
        if last > tail.start { try table.append(tail.start.rawValue + 1...last.rawValue) }
        return try table.finish()
    }
}
