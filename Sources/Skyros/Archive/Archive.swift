public import Foundation
package import SkyrosDisk
import SkyrosLog

/// A look at a store without its types: for tools, for replays, and for a second process beside
/// the one that writes.
///
///     let archive = try Archive(at: url)
///     try archive.events().forEach { event in … }
///     let then = try archive.snapshot(asOf: .sequence(4_711))
///     let order = try then.get(Order.self, id)        // types come in where they are wanted
///
/// It takes no lock and changes nothing. It sees the log as it was when it was opened or last
/// refreshed.
public final class Archive: Sendable {
    /// How far into a damaged log an archive reads.
    public enum Extent: Hashable, Sendable {
        /// All of it; damage is an error.
        case whole
        /// The events before the first damage; see `Archive.damage`.
        case upToDamage
    }

    let log: any ObservedLog
    /// The log, if it is read up to its damage.
    let survey: DamageScan?
    let disk: any Disk
    private let schema: Schema
    private let hashSeed: UInt64

    /// Opens the store at `url` for reading.
    ///
    /// - Parameters:
    ///   - url: the store's directory.
    ///   - entities: types whose indexes the snapshots shall have; none are needed.
    ///   - extent: `.upToDamage` to look into a damaged store, which reads all of the log first.
    /// - Throws: `StoreError`, with `.notAStore` if there is none; `.logCorrupt` and the like
    ///   if the log is damaged and wanted whole.
    public convenience init(
        at url: URL, entities: [any Entity.Type] = [], reading extent: Extent = .whole
    ) throws {
        let path = url.path(percentEncoded: false)
        let disk: PosixDisk
        do throws(DiskError) {
            disk = try PosixDisk(path: path, creating: false)
        } catch {
            throw error.isNotFound ? Self.notAStore(path) : StoreError(error)
        }
        try self.init(on: Environment(disk: disk), entities: entities, reading: extent)
    }

    package init(
        on environment: Environment, entities: [any Entity.Type] = [],
        reading extent: Extent = .whole
    ) throws {
        disk = environment.disk
        schema = entities.isEmpty ? .untyped : try Schema(entities)
        hashSeed = environment.entropy.next()
        do throws(LogError) {
            switch extent {
            case .whole:
                survey = nil
                log = try LogFollower(on: disk, LogOptions(), framing: EventCoding.byteCount(of:))
            case .upToDamage:
                let survey = try Self.survey(disk)
                self.survey = survey
                log = survey
            }
        } catch {
            let isMissing = error.code == .segmentMissing && error.segment == nil
            throw isMissing ? Self.notAStore(disk.systemPath ?? "") : StoreError(error)
        }
    }

    static func survey(_ disk: any Disk) throws(LogError) -> DamageScan {
        try DamageScan(of: disk, LogOptions(), framing: EventCoding.byteCount(of:))
    }

    /// The last event, or the last one before the damage.
    public var sequence: SequenceNumber { SequenceNumber(rawValue: log.head.sequence) }

    /// Looks whether there is more in the log; returns whether there is. An archive that reads up
    /// to a damage is of one moment and never has more.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func refresh() throws -> Bool {
        try StoreError.wrap(try log.refresh())
    }

    /// The event with this sequence, or nil. It reads the part of the log around it.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func event(_ sequence: SequenceNumber) throws -> Event? {
        try EventReader(log).event(sequence)
    }

    /// The events of a range, read when they are asked for. Numbers beyond the last event are left
    /// out.
    public func events(
        _ range: some RangeExpression<SequenceNumber> = SequenceNumber(rawValue: 1)...
    ) -> EventSequence {
        EventSequence(log, range, end: sequence)
    }

    /// The whole state at a moment, folded from the log. O(events up to the moment).
    ///
    /// - Parameters:
    ///   - moment: nil for the last event.
    ///   - progress: called after each event.
    /// - Throws: `StoreError` with `.noSuchEvent` if the log has not come that far, `.logCorrupt`
    ///   and the like if it is damaged.
    public func snapshot(
        asOf moment: Moment? = nil, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> Snapshot {
        try past.snapshot(asOf: moment ?? .sequence(sequence), progress: progress)
    }

    /// The life of one record, oldest event first. O(events in the log).
    ///
    /// - Parameters:
    ///   - entity: the record's entity.
    ///   - id: the record's id.
    ///   - progress: called after each event.
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func history(
        of entity: String, _ id: RecordID, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> [HistoryEntry] {
        try past.history(of: entity, id, progress: progress)
    }

    /// Folds the log event after event and shows each state to `body`, until it returns false.
    ///
    /// The snapshot that `body` gets must not be kept beyond the call where speed matters: as
    /// long as somebody holds it, the next event has to copy what it changes.
    ///
    /// - Complexity: O(events up to the last one).
    /// - Throws: what `body` throws; `StoreError` with `.logCorrupt` and the like if the log is
    ///   damaged.
    public func replay(
        through last: SequenceNumber? = nil,
        _ body: (_ event: Event, _ state: Snapshot) throws -> Bool
    ) throws {
        var snapshot = empty
        var dirty = DirtyRows(isRecording: false)
        let end = last ?? sequence
        try EventReader(log).forEach(from: 1, through: end) { event, chainHash in
            try Projector.apply(event, chainHash: chainHash, to: &snapshot, marking: &dirty)
            return try body(event, snapshot)
        }
    }

    /// The state before the first event.
    var empty: Snapshot {
        Snapshot(
            schema, beginning: ChainHash(beginning: log.storeID), hashSeed: hashSeed)
    }

    var past: HistoryReader { HistoryReader(log: log, empty: empty) }

    private static func notAStore(_ path: String) -> StoreError {
        StoreError(.notAStore, "there is no store at \(path)")
    }
}
