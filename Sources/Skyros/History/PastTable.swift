import SkyrosLog

/// Makes the table of an entity as it was after an event, of the versions of its records. They come
/// part by part of the history, the oldest first; in a part in any order of the records.
///
/// A row that has not changed since is that of the newest state: it is not stored twice, nor is the
/// value that it may have decoded.
struct PastTable {
    private(set) var table: Table
    /// The newest state of it.
    private let current: Table
    private let entity: [UInt8]
    private let last: SequenceNumber
    /// What came before it does not count; nil if the entity was never cleared.
    private let clearing: RecordVersion?
    private let log: EventReader
    /// What the log has of versions in runs.
    private var logged: LoggedVersions

    init(
        _ current: Table, through last: SequenceNumber, after clearing: RecordVersion?,
        _ log: EventReader
    ) {
        self.current = current
        entity = Array(current.entity.utf8)
        self.last = last
        self.clearing = clearing
        self.log = log
        logged = LoggedVersions(log)
        table = current
        table.clear()
        table.beginFold()
        // The records of the past may contradict the type of today.
        table.areFieldsCompared = false
    }

    /// Adds what the floor of the log says.
    mutating func append(_ floor: FloorState) throws {
        if clearing != nil { return }
        try floor.forEach(of: entity) { id, version in try advance(id, [version]) }
    }

    /// Adds what a run says. Versions that it leaves to the log come in the order of their events,
    /// so that each of these is read once.
    mutating func append(_ run: HistoryRun) throws {
        if let clearing, clearing.sequence.rawValue > run.last { return }
        var inLog: [(id: RecordID, version: RecordVersion)] = []
        try run.forEachRecord(of: entity) { id, bytes in
            let versions = try RecordVersion.needed(of: bytes, through: last)
            let isInLog =
                versions.last?.kind != .deleted && versions.contains { $0.image == .absent }
            // A record with many versions comes in several parts.
            if isInLog || inLog.last?.id == id {
                inLog += versions.map { (id, $0) }
            } else {
                try advance(id, versions)
            }
        }
        for (id, version) in inLog.sorted(by: { $0.version.precedes($1.version) }) {
            try advance(id, [version])
        }
    }

    /// Adds what events say. O(events).
    mutating func append(_ sequences: ClosedRange<UInt64>) throws {
        let first = max(sequences.lowerBound, clearing?.sequence.rawValue ?? 0)
        let end = min(sequences.upperBound, last.rawValue)
        guard first <= end else { return }
        try log.forEach(
            from: SequenceNumber(rawValue: first), through: SequenceNumber(rawValue: end)
        ) { event, _ in
            for (key, version) in RecordVersion.list(of: event) where key.entity == entity {
                if let id = key.id { try advance(id, [version]) }
            }
            return true
        }
    }

    /// Ends with the indexes of the table. O(n log n).
    mutating func finish() throws -> Table {
        try table.endFold()
        return table
    }

    /// A record without its id: the bytes, and the version of the shape.
    private typealias Content = (bytes: [UInt8], version: Int)

    private mutating func advance(_ id: RecordID, _ versions: [RecordVersion]) throws {
        var versions = versions
        if let clearing { versions.removeAll { $0.precedes(clearing) } }
        guard let newest = versions.last else { return }
        let hash = table.hash(id)
        let old = table.rows.find(id: id, hash: hash)
        guard let new = try content(id, versions, newest, after: old) else {
            if let old { try table.remove(old) }
            return
        }
        try table.put(row(id, hash, new, replacing: old), replacing: old)
    }

    /// A record after some versions; nil if the newest is a deletion.
    private mutating func content(
        _ id: RecordID, _ versions: [RecordVersion], _ newest: RecordVersion, after old: Row?
    ) throws -> Content? {
        if newest.kind == .deleted { return nil }
        if case .record(let bytes) = newest.image { return (bytes, newest.shape) }
        let before = old.map {
            HistoryRow(entity: table.entity, id: id, bytes: $0.bytes, version: $0.version)
        }
        var builder = HistoryBuilder(HistoryKey(entity: entity, id: id), logged, from: before)
        for version in versions { try builder.advance(to: version) }
        logged = builder.logged
        return builder.row.map { ($0.bytes, $0.version) }
    }

    private func row(
        _ id: RecordID, _ hash: UInt64, _ new: Content, replacing old: Row?
    ) -> Row {
        let newest = current.rows.find(id: id, hash: hash)
        if let newest, newest.version == new.version, newest.bytes == new.bytes { return newest }
        return table.storedRow(
            id, hash: hash, number: newest?.number ?? old?.number ?? table.nextNumber,
            version: new.version, bytes: new.bytes)
    }
}
