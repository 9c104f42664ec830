import SkyrosLog

// Answers from the versions that an index of the history gives.

extension HistoryReader {
    /// The changes of one record, oldest first, as `history(of:_:progress:)`.
    ///
    /// - Complexity: O(versions of the record), see `HistoryIndex.versions`.
    func history(
        of entity: String, _ id: RecordID, in index: HistoryIndex
    ) throws -> [HistoryEntry] {
        let versions = try index.versions(of: HistoryKey(entity, id), through: last)
        guard !versions.isEmpty else { return [] }
        let clearings = try index.versions(of: HistoryKey(entity, nil), through: last)
        var teller = HistoryTeller(HistoryKey(entity, id), EventReader(log))
        var next = clearings.startIndex
        for version in versions {
            while next < clearings.endIndex, clearings[next].precedes(version) {
                try teller.append(clearings[next])
                next += 1
            }
            try teller.append(version)
        }
        for clearing in clearings[next...] { try teller.append(clearing) }
        return teller.entries
    }

    /// One record as it was after an event, in the shape that it had; nil if there was none.
    ///
    /// - Complexity: see `HistoryIndex.newestVersions`.
    func row(
        of entity: String, _ id: RecordID, asOf sequence: SequenceNumber, in index: HistoryIndex
    ) throws -> (bytes: [UInt8], version: Int)? {
        let key = HistoryKey(entity, id)
        let versions = try index.newestVersions(of: key, through: sequence)
        guard let newest = versions.last, newest.kind != .deleted else { return nil }
        let clearings = try index.newestVersions(of: HistoryKey(entity, nil), through: sequence)
        if let clearing = clearings.last, newest.precedes(clearing) { return nil }
        var teller = HistoryTeller(key, EventReader(log))
        for version in versions { try teller.pass(version) }
        return teller.record.map { ($0, newest.shape) }
    }
}

/// Makes history entries of the versions of a record, in their order.
struct HistoryTeller {
    private let key: HistoryKey
    private let log: EventReader
    private(set) var entries: [HistoryEntry] = []
    /// The record after the versions so far; nil if there is none.
    private(set) var record: [UInt8]?
    private var exists = false
    /// The last event that was read, and the place in it from which on a version is searched.
    private var event: Event?
    private var place = 0

    init(_ key: HistoryKey, _ log: EventReader) {
        self.key = key
        self.log = log
    }

    /// Adds the entry of a version.
    mutating func append(_ version: RecordVersion) throws {
        if version.kind == .cleared {
            if exists { try add(.cleared, version, []) }
            (exists, record) = (false, nil)
            return
        }
        let changes: [FieldChange]
        if case (.updated, .record(let bytes)) = (version.kind, version.image), let record {
            changes = try FieldChange.differences(from: record, to: bytes)
            self.record = bytes
        } else {
            let (before, after) = try pass(version)
            changes = try FieldChange.list(
                before: Fields(trusted: before), after: Fields(trusted: after))
        }
        switch version.kind {
        case .inserted: try add(.inserted, version, changes)
        case .updated: try add(.updated, version, changes)
        case .deleted, .cleared: try add(.deleted, version, changes)
        }
        exists = version.kind != .deleted
    }

    /// Moves `record` to a version, and returns the fields that it changes.
    @discardableResult
    mutating func pass(_ version: RecordVersion) throws -> (before: [UInt8], after: [UInt8]) {
        let none = Fields.none.bytes
        switch (version.kind, try image(of: version)) {
        case (.inserted, .record(let bytes)):
            record = bytes
            return (none, bytes)
        case (.deleted, .record(let bytes)):
            record = nil
            return (bytes, none)
        case (.updated, .record(let bytes)):
            defer { record = bytes }
            guard let record else { return (none, bytes) }
            return try Fields.difference(from: record, to: bytes) ?? (none, none)
        case (.updated, .difference(let before, let after)):
            record = try record.flatMap {
                try Fields.applying(before: before, after: after, to: $0)
            }
            return (before, after)
        default:
            throw misfit(version)
        }
    }

    /// The image of a version; that of its event if it is too large for a run.
    private mutating func image(of version: RecordVersion) throws -> RecordVersion.Image {
        guard case .absent = version.image else { return version.image }
        let list = RecordVersion.list(of: try readEvent(version))
        // An event may change a record several times.
        let found = list.indices.first { $0 >= place && list[$0].key == key }
        guard let found else { throw misfit(version) }
        place = found + 1
        return list[found].version.image
    }

    private mutating func readEvent(_ version: RecordVersion) throws -> Event {
        if let event, event.sequence == version.sequence { return event }
        guard let event = try log.event(version.sequence) else { throw misfit(version) }
        self.event = event
        place = 0
        return event
    }

    private mutating func add(
        _ kind: HistoryEntry.Kind, _ version: RecordVersion, _ changes: [FieldChange]
    ) throws {
        let metadata: Metadata
        let intent: Intent?
        if let about = version.about {
            (metadata, intent) = try EventCoding.about(from: about)
        } else {
            let event = try readEvent(version)
            (metadata, intent) = (event.metadata, event.intent)
        }
        entries.append(
            HistoryEntry(
                kind: kind, sequence: version.sequence, time: version.time, metadata: metadata,
                intent: intent, changes: changes))
    }

    private func misfit(_ version: RecordVersion) -> StoreError {
        StoreError(
            .invalidEvent,
            "event \(version.sequence) has no such change as the index of the history says",
            at: StoreError.Place(sequences: version.sequence...version.sequence))
    }
}
