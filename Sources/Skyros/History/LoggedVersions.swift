import SkyrosLog

/// Reads the versions of records that an index of the history leaves to the log.
///
/// It keeps the last event that was read: one event may have versions of many records.
struct LoggedVersions {
    private let log: EventReader
    private var event: Event?
    /// The versions that the event makes; nil until one of them is asked for.
    private var versions: [HistoryKey: [RecordVersion]]?

    init(_ log: EventReader) {
        self.log = log
    }

    /// The event `sequence`; nil if the log does not hold it.
    mutating func event(_ sequence: SequenceNumber) throws -> Event? {
        if let event, event.sequence == sequence { return event }
        event = try log.event(sequence)
        versions = nil
        return event
    }

    /// The image that an event has of a version; nil if it makes none of the key at this place.
    mutating func image(
        of version: RecordVersion, _ key: HistoryKey
    ) throws -> RecordVersion.Image? {
        guard let event = try event(version.sequence) else { return nil }
        let versions = versions ?? Self.versions(of: event)
        self.versions = versions
        return versions[key]?.first { $0.place == version.place }?.image
    }

    private static func versions(of event: Event) -> [HistoryKey: [RecordVersion]] {
        var versions: [HistoryKey: [RecordVersion]] = [:]
        for (key, version) in RecordVersion.list(of: event) {
            versions[key, default: []].append(version)
        }
        return versions
    }
}
