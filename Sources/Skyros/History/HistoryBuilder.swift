/// Makes history entries of the versions of a record, in their order.
struct HistoryBuilder {
    private let key: HistoryKey
    private let entity: String
    /// What the log has of the versions.
    private(set) var logged: LoggedVersions
    private(set) var entries: [HistoryEntry] = []
    /// The record after the versions so far; nil if there is none.
    private(set) var row: HistoryRow?
    private var exists = false
    /// The metadata and intent that were read last: those of neighbouring events are often equal.
    private var lastAbout: (bytes: [UInt8], about: EventCoding.About)?

    /// - Parameters:
    ///   - row: the record before the versions, if it is known.
    ///   - count: how many entries to make room for.
    init(
        _ key: HistoryKey, _ logged: LoggedVersions, from row: HistoryRow? = nil, count: Int = 0
    ) {
        self.key = key
        self.row = row
        entity = row?.entity ?? String(decoding: key.entity, as: UTF8.self)
        self.logged = logged
        entries.reserveCapacity(count)
    }

    /// Adds the entry of a version: of the record, or of a clearing of its entity.
    mutating func append(_ version: RecordVersion) throws {
        let before = row
        try advance(to: version)
        let kind: HistoryEntry.Kind =
            switch version.kind {
            case .inserted: .inserted
            case .updated: .updated
            case .deleted: .deleted
            case .cleared: .cleared
            case .kept: .kept
            }
        if exists || kind != .cleared { try add(kind, version, before) }
        exists = kind != .deleted && kind != .cleared
    }

    /// Moves `row` to a version.
    mutating func advance(to version: RecordVersion) throws {
        if version.kind == .cleared {
            row = nil
            return
        }
        switch (version.kind, try image(of: version)) {
        case (.inserted, .record(let bytes)), (.updated, .record(let bytes)),
            (.kept, .record(let bytes)):
            row = row(bytes, version)
        case (.deleted, .record): row = nil
        case (.updated, .difference(let before, let after)):
            let bytes = row.flatMap {
                // What cannot be read does not fit either.
                try? Fields.applying(before: before, after: after, to: $0.bytes)
            }
            guard let bytes else { throw contradiction(version) }
            row = row(bytes, version)
        default: throw misfit(version)
        }
    }

    private func row(_ bytes: [UInt8], _ version: RecordVersion) -> HistoryRow? {
        key.id.map {
            HistoryRow(entity: entity, id: $0, bytes: bytes, version: version.shape)
        }
    }

    /// The image of a version; that of its event if it is too large for a run.
    private mutating func image(of version: RecordVersion) throws -> RecordVersion.Image {
        guard case .absent = version.image else { return version.image }
        guard let image = try logged.image(of: version, key) else { throw misfit(version) }
        return image
    }

    private mutating func add(
        _ kind: HistoryEntry.Kind, _ version: RecordVersion, _ before: HistoryRow?
    ) throws {
        let (metadata, intent) = try about(version)
        entries.append(
            HistoryEntry(
                kind: kind, sequence: version.sequence, time: version.time, metadata: metadata,
                intent: intent, rowBefore: before, rowAfter: row))
    }

    private mutating func about(_ version: RecordVersion) throws -> EventCoding.About {
        // What the event said was pruned.
        if version.kind == .kept { return (Metadata(), nil) }
        guard let bytes = version.about else {
            guard let event = try logged.event(version.sequence) else { throw misfit(version) }
            return (event.metadata, event.intent)
        }
        if let lastAbout, lastAbout.bytes == bytes { return lastAbout.about }
        guard let about = try? EventCoding.about(from: bytes) else {
            throw misfit(
                version,
                "the index of the history has metadata of event \(version.sequence) that "
                    + "cannot be read")
        }
        lastAbout = (bytes, about)
        return about
    }

    private func contradiction(_ version: RecordVersion) -> StoreError {
        StoreError(
            .invalidEvent,
            "event \(version.sequence) does not fit the record before it (run `skyros verify`)",
            at: StoreError.Place(
                sequences: version.sequence...version.sequence, entity: entity,
                ids: key.id.map { [$0] } ?? []))
    }

    private func misfit(_ version: RecordVersion) -> StoreError {
        misfit(
            version,
            "event \(version.sequence) has no such change as the index of the history says")
    }

    private func misfit(_ version: RecordVersion, _ what: String) -> StoreError {
        StoreError(
            .invalidEvent,
            "\(what); remove the files in history/, and the store makes them again",
            at: StoreError.Place(sequences: version.sequence...version.sequence))
    }
}
