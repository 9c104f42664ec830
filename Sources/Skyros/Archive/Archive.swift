public import Foundation
package import SkyrosDisk
import SkyrosLog

/// A read-only store that needs no types: for tools, for replay, and for a process beside the one
/// that writes.
///
///     let archive = try Archive(at: url)
///     try archive.events().forEach { event in … }
///     let then = try archive.snapshot(asOf: .sequence(4_711))
///     let order = try then.get(Order.self, id)        // a type is needed only here
///
/// It takes no lock and changes nothing. It shows the log as of its opening or the last `refresh`.
public final class Archive: Sendable {
    /// How much of a damaged log an archive reads.
    public enum Extent: Hashable, Sendable {
        /// All of it; damage is an error.
        case whole
        /// The events before the first damage; see `Archive.damage`.
        case upToDamage
    }

    let log: any ObservedLog
    /// The damage scan; nil if the log is read whole.
    let scan: DamageScan?
    let disk: any Disk
    let clock: any WallClock
    /// How long it took to open the log, in microseconds.
    let openingMicroseconds: Int64
    let schema: Schema
    private let hashSeed: UInt64
    /// Finds the changes of records; nil if the archive ends before damage.
    let historyIndex: HistoryIndex?

    /// Opens the store at `url` for reading.
    ///
    /// - Parameters:
    ///   - url: the store's directory.
    ///   - entities: the types whose indexes the snapshots have; none are needed.
    ///   - extent: `.upToDamage` to read a damaged store; it scans the whole log first.
    ///   - progress: called now and then during that scan.
    /// - Throws: `StoreError`, with `.notAStore` if there is none; `.logCorrupt` and the like if
    ///   the log is damaged and `extent` is `.whole`.
    public convenience init(
        at url: URL, entities: [any Entity.Type] = [], reading extent: Extent = .whole,
        progress: (StoreProgress) -> Void = { _ in }
    ) throws {
        let disk = try StoreDirectory.disk(at: url, creating: false)
        try self.init(
            on: Environment(disk: disk), entities: entities, reading: extent, progress: progress)
    }

    /// - Parameter isTolerant: whether events that a damage scan can read are no error.
    package convenience init(
        on environment: Environment, entities: [any Entity.Type] = [],
        reading extent: Extent = .whole, isTolerant: Bool = false,
        progress: (StoreProgress) -> Void = { _ in }
    ) throws {
        try self.init(
            on: environment, entities.isEmpty ? .untyped : Schema(entities), reading: extent,
            isTolerant: isTolerant, progress: progress)
    }

    init(
        on environment: Environment, _ schema: Schema, reading extent: Extent = .whole,
        isTolerant: Bool = false, progress: (StoreProgress) -> Void = { _ in }
    ) throws {
        disk = environment.disk
        clock = environment.clock
        let start = clock.nowMicroseconds()
        try ErasureMarker.checkIsMissing(on: disk)
        self.schema = schema
        hashSeed = environment.entropy.next()
        do throws(LogError) {
            switch extent {
            case .whole:
                scan = nil
                log = try Self.follower(on: disk, isTolerant: isTolerant)
            case .upToDamage:
                let scan = try Self.scan(disk, progress)
                self.scan = scan
                log = scan
            }
        } catch {
            let isMissing = error.code == .segmentMissing && error.file == nil
            throw isMissing ? StoreDirectory.missing(at: disk.systemPath ?? "") : StoreError(error)
        }
        openingMicroseconds = clock.nowMicroseconds() - start
        let empty = Snapshot(schema, beginning: log.beginning, hashSeed: hashSeed)
        historyIndex =
            scan != nil
            ? nil
            : HistoryIndex(
                log, of: log.storeID, on: disk, empty: empty, mayWrite: false, report: { _ in })
    }

    static func follower(
        on disk: any Disk, isTolerant: Bool
    ) throws(LogError) -> any ObservedLog {
        let framing: PayloadFraming = EventCoding.byteCount(of:)
        if isTolerant { return try TolerantFollower(on: disk, LogOptions(), framing: framing) }
        return try LogFollower(on: disk, LogOptions(), framing: framing)
    }

    static func scan(
        _ disk: any Disk, _ progress: (StoreProgress) -> Void = { _ in }
    ) throws(LogError) -> DamageScan {
        try DamageScan(of: disk, LogOptions(), framing: EventCoding.byteCount(of:)) { done, total in
            progress(StoreProgress(.scanning, done, of: total))
        }
    }

    /// The last event, or the last one before the damage.
    public var sequence: SequenceNumber { SequenceNumber(rawValue: log.head.sequence) }

    /// The first event that the store keeps, or will hold: 1 unless its history was pruned.
    public var firstSequence: SequenceNumber { EventReader(log).first }

    /// What the store keeps of the history before its first event; nil if it was never pruned.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` if the floor is damaged.
    public var floor: Floor? {
        get throws { try log.floor.map { try FloorState($0).description } }
    }

    /// Reads what was appended since the last call; returns whether there was anything. An archive
    /// of a damaged store is of one moment and never has more.
    ///
    /// - Throws: `StoreError` with `.historyChanged` if the store was erased or replaced since, and
    ///   the archive stays as it was; `.logCorrupt` and the like if the log is damaged.
    public func refresh() throws -> Bool {
        historyIndex?.refresh()
        return try StoreError.wrap(try log.refresh())
    }

    /// The event with this sequence, or nil. It reads the part of the log around it.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func event(_ sequence: SequenceNumber) throws -> Event? {
        try EventReader(log).event(sequence)
    }

    /// The events of a range, as a lazy sequence. Numbers beyond the last event are left out.
    public func events(_ range: some RangeExpression<SequenceNumber>) -> EventSequence {
        EventSequence(log, range, end: sequence)
    }

    /// All events that the store keeps, as a lazy sequence.
    public func events() -> EventSequence { EventSequence(log, end: sequence) }

    /// The events of a range that a filter names, as a lazy sequence.
    ///
    /// - Complexity: O(matches), and O(events) of the part of the log that the store's index of the
    ///   history does not cover, about 1 MiB.
    public func events(
        _ range: (any RangeExpression<SequenceNumber> & Sendable)? = nil, where filter: EventFilter,
        newestFirst: Bool = false
    ) -> EventSequence {
        EventSequence(historyReader, historyIndex, range, filter, newestFirst: newestFirst)
    }

    /// The whole state at a moment, replayed from the log. O(events up to the moment).
    ///
    /// - Parameters:
    ///   - moment: nil for the last event.
    ///   - progress: called after each event.
    /// - Throws: `StoreError` with `.noSuchEvent` if the log ends before it, `.logCorrupt` and the
    ///   like if the log is damaged.
    public func snapshot(
        asOf moment: Moment? = nil, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> Snapshot {
        try historyReader.snapshot(asOf: moment ?? .sequence(sequence), progress: progress)
    }

    /// The changes of one record, oldest event first.
    ///
    /// - Complexity: O(entries), and O(events) of the part of the log that the store's index of the
    ///   history does not cover, about 1 MiB; O(events in the log) if it is damaged.
    /// - Parameters:
    ///   - entity: the record's entity.
    ///   - id: the record's id.
    ///   - progress: called after each event, if the log is read, and at the end.
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func history(
        of entity: String, _ id: RecordID, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> [HistoryEntry] {
        guard let historyIndex else {
            return try historyReader.history(of: entity, id, progress: progress)
        }
        defer { progress(sequence) }
        return try historyReader.history(of: entity, id, in: historyIndex)
    }

    /// Which event gave each field of a record the value that it has, or had before it was deleted.
    ///
    /// - Throws: and complexity: as `history(of:_:progress:)`.
    public func blame(
        of entity: String, _ id: RecordID, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> [FieldOrigin] {
        try FieldOrigin.list(of: history(of: entity, id, progress: progress))
    }

    /// The state before the first event.
    var empty: Snapshot {
        Snapshot(schema, beginning: log.beginning, hashSeed: hashSeed)
    }

    var historyReader: HistoryReader { HistoryReader(log: log, empty: empty) }
}
