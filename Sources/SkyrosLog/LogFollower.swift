package import SkyrosDisk

/// A reader of a log that another process may be writing. It takes no lock and changes nothing.
///
/// It shows the log as of the last `refresh`. A torn tail is a write that is not finished, or one
/// that a crash cut short. In both cases history ends before it.
package final class LogFollower: ObservedLog {
    private let disk: any Disk
    private let options: LogOptions
    private let framing: PayloadFraming
    private let catalog: Locked<LogCatalog>

    /// How often an inspection is repeated that met files in the middle of a change. A file that is
    /// gone does not count, if others have come or gone since the attempt before.
    private static let attemptsMax = 20

    /// Opens the log on `disk`.
    ///
    /// - Throws: `LogError`, with `.segmentMissing` if there is no log.
    package init(
        on disk: any Disk, _ options: LogOptions, framing: @escaping PayloadFraming
    ) throws(LogError) {
        self.disk = disk
        self.options = options
        self.framing = framing
        catalog = Locked(try Self.inspect(disk, options, framing))
    }

    package var head: LogHead { catalog.withLock(\.head) }

    package var storeID: StoreID { catalog.withLock(\.active.header.storeID) }

    package var beginning: ChainHash { catalog.withLock(\.beginning) }

    package var floor: LogFloor? { catalog.withLock(\.floor) }

    package var borders: [LogBorder] { catalog.withLock(\.borders) }

    package var statedTimes: [StatedTime] { catalog.withLock(\.statedTimes) }

    package var statistics: LogStatistics? { catalog.withLock(\.statistics) }

    /// Whether the last write is incomplete: in progress, or cut short by a crash.
    package var endsTorn: Bool { catalog.withLock { $0.active.scan.stop == .invalid } }

    package func refresh() throws(LogError) -> Bool {
        let before = catalog.withLock { $0 }
        let after = try refreshed(before)
        catalog.withLock { $0 = after }
        return after.lastSequence > before.lastSequence
    }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        do throws(LogError) {
            return try catalog.withLock { $0 }.chunk(containing: sequence) { merged in
                catalog.withLock { $0.adopt(merged) }
            }
        } catch {
            guard error.code == .segmentMissing, isPruned(sequence) else { throw error }
            return nil
        }
    }

    /// Whether the writer has pruned a batch since the last look. Takes the new floor.
    private func isPruned(_ sequence: UInt64) -> Bool {
        let known = catalog.withLock { $0 }
        guard let floor = try? Self.inspect(disk, options, framing, after: known).floor,
            floor.firstSequence > sequence
        else { return false }
        catalog.withLock { $0.adopt(floor) }
        return true
    }

    /// Scans the new part of the active segment, if that segment is still the newest one and the
    /// same file; inspects all segments otherwise.
    private func refreshed(_ before: LogCatalog) throws(LogError) -> LogCatalog {
        let active = before.active
        let names = try SegmentName.list(on: disk)
        let newest = names.last { $0.kind == .open }
        let floor = names.last { $0.kind == .floor }
        let known = try onDisk(active.file.status()).identity
        let current = try onDisk(disk.status(of: active.name.path))?.identity
        guard newest == active.name, current == known, floor == before.floor?.name else {
            return try Self.inspect(disk, options, framing, after: before)
        }
        var after = before
        try after.active.scanFurther()
        return after
    }

    /// The writer may rename, remove and write files during an inspection, so an error counts only
    /// if it stays.
    ///
    /// - Parameter before: what was read before. A repeated inspection reads only what is new:
    ///   otherwise that of a log with many files would meet a change each time.
    /// - Throws: `LogError`, with `.otherHistory` if the log does not continue `before`.
    static func inspect(
        _ disk: any Disk, _ options: LogOptions, _ framing: @escaping PayloadFraming,
        after before: LogCatalog? = nil
    ) throws(LogError) -> LogCatalog {
        var known = KnownSegments(before?.sealed ?? [])
        var problem = LogError(.segmentMissing, "there is no log in this directory")
        var names: [SegmentName] = []
        var attemptCount = 0
        while attemptCount < attemptsMax {
            attemptCount += 1
            do throws(LogError) {
                let inspection = try LogInspection(of: disk, options, framing: framing, &known)
                guard let catalog = inspection.catalog else { continue }
                if let refusal = inspection.refusal {
                    problem = refusal
                    continue
                }
                if let before { try catalog.check(continues: before) }
                return catalog
            } catch {
                problem = error
                let former = names
                names = try SegmentName.list(on: disk)
                // A writer with many small files may merge them as fast as they are opened here.
                if error.cause?.isNotFound ?? false, names != former { attemptCount = 0 }
            }
        }
        throw problem
    }
}
