import SkyrosLog

/// Makes history entries of the versions of a record, in their order.
struct HistoryBuilder {
    private let key: HistoryKey
    private let entity: String
    private let log: EventReader
    private(set) var entries: [HistoryEntry] = []
    /// The record after the versions so far; nil if there is none.
    private(set) var row: HistoryRow?
    private var exists = false
    /// The last event that was read.
    private var event: Event?

    init(_ key: HistoryKey, _ log: EventReader) {
        self.key = key
        entity = String(decoding: key.entity, as: UTF8.self)
        self.log = log
    }

    /// Adds the entry of a version: of the record, or of a clearing of its entity.
    mutating func append(_ version: RecordVersion) throws {
        let before = row
        let image = try advance(to: version)
        let changes = try Self.changes(version, image, from: before)
        let kind: HistoryEntry.Kind =
            switch version.kind {
            case .inserted: .inserted
            case .updated: .updated
            case .deleted: .deleted
            case .cleared: .cleared
            }
        if exists || kind != .cleared { try add(kind, version, changes, before) }
        exists = kind == .inserted || kind == .updated
    }

    /// Moves `row` to a version, and returns its image.
    @discardableResult
    mutating func advance(to version: RecordVersion) throws -> RecordVersion.Image {
        if version.kind == .cleared {
            row = nil
            return .absent
        }
        let image = try image(of: version)
        switch (version.kind, image) {
        case (.inserted, .record(let bytes)), (.updated, .record(let bytes)):
            row = row(bytes, version)
        case (.deleted, .record): row = nil
        case (.updated, .difference(let before, let after)):
            let bytes = try row.flatMap {
                try Fields.applying(before: before, after: after, to: $0.bytes)
            }
            row = bytes.flatMap { row($0, version) }
        default: throw misfit(version)
        }
        return image
    }

    /// The fields that a version changes: all of an inserted or deleted record.
    private static func changes(
        _ version: RecordVersion, _ image: RecordVersion.Image, from before: HistoryRow?
    ) throws -> [FieldChange] {
        switch image {
        case .absent: []
        case .record(let bytes) where version.kind == .inserted:
            try FieldChange.list(before: .none, after: Fields(trusted: bytes))
        case .record(let bytes) where version.kind == .deleted:
            try FieldChange.list(before: Fields(trusted: bytes), after: .none)
        case .record(let bytes):
            try FieldChange.differences(from: before?.bytes ?? Fields.none.bytes, to: bytes)
        case .difference(let before, let after):
            try FieldChange.list(before: Fields(trusted: before), after: Fields(trusted: after))
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
        let list = RecordVersion.list(of: try readEvent(version))
        let found = list.first { $0.key == key && $0.version.place == version.place }
        guard let found else { throw misfit(version) }
        return found.version.image
    }

    private mutating func readEvent(_ version: RecordVersion) throws -> Event {
        if let event, event.sequence == version.sequence { return event }
        guard let event = try log.event(version.sequence) else { throw misfit(version) }
        self.event = event
        return event
    }

    private mutating func add(
        _ kind: HistoryEntry.Kind, _ version: RecordVersion, _ changes: [FieldChange],
        _ before: HistoryRow?
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
                intent: intent, changes: changes, rowBefore: before, rowAfter: row))
    }

    private func misfit(_ version: RecordVersion) -> StoreError {
        StoreError(
            .invalidEvent,
            "event \(version.sequence) has no such change as the index of the history says; remove "
                + "the files in history/, and the store makes them again",
            at: StoreError.Place(sequences: version.sequence...version.sequence))
    }
}
