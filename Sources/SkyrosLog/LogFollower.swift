package import SkyrosDisk

/// A reader of a log that somebody else may be writing: it takes no lock and changes nothing.
///
/// It sees the log as it was at the last `refresh`. A torn end is what a writer has not
/// finished yet, or left when it died; either way history ends before it.
package final class LogFollower: ObservedLog {
    private let disk: any Disk
    private let options: LogOptions
    private let framing: PayloadFraming
    private let catalog: Locked<LogCatalog>

    /// How often a look is repeated that met files in the middle of a change.
    private static let attemptsMax = 20

    /// Looks at the log on `disk`.
    ///
    /// - Throws: `LogError`, `.segmentMissing` if there is no log.
    package init(
        on disk: any Disk, _ options: LogOptions, framing: @escaping PayloadFraming
    ) throws(LogError) {
        self.disk = disk
        self.options = options
        self.framing = framing
        catalog = Locked(try Self.look(at: disk, options, framing))
    }

    package var head: LogHead {
        catalog.withLock { $0.head }
    }

    package var storeID: StoreID {
        catalog.withLock { $0.active.header.storeID }
    }

    package var statistics: LogStatistics? { catalog.withLock { $0.statistics } }

    /// Whether the last write that was seen is not whole: it may be under way, or a crash's.
    package var endsTorn: Bool { catalog.withLock { $0.active.scan.stop == .invalid } }

    /// Looks again; returns whether there is more than before.
    package func refresh() throws(LogError) -> Bool {
        let before = catalog.withLock { $0 }
        let after = try lookAgain(knowing: before)
        catalog.withLock { $0 = after }
        return after.lastSequence > before.lastSequence
    }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        try catalog.withLock { $0 }.chunk(
            containing: sequence, framing: framing,
            contentBytesMax: options.contentBytesMax)
    }

    /// Scans what was added to the active segment, as long as that is still the newest one
    /// and still the same file.
    private func lookAgain(knowing before: LogCatalog) throws(LogError) -> LogCatalog {
        let active = before.active
        let (current, known, newest) = try onDisk { () throws(DiskError) in
            let newest = try disk.list(.events).compactMap { SegmentName($0) }
                .last { $0.kind == .open }
            return (
                try disk.status(of: active.name.path)?.identity,
                try active.file.status().identity, newest
            )
        }
        guard current == known, newest == active.name else {
            return try Self.look(at: disk, options, framing)
        }
        var after = before
        try after.active.scanFurther()
        return after
    }

    /// Files may be renamed, removed and written while they are looked at; what seems wrong
    /// then is right at the next look. What stays wrong is an error.
    private static func look(
        at disk: any Disk, _ options: LogOptions, _ framing: @escaping PayloadFraming
    ) throws(LogError) -> LogCatalog {
        var problem = LogError(.segmentMissing, "there is no log in this directory")
        for _ in 0..<attemptsMax {
            do throws(LogError) {
                let inspection = try LogInspection(of: disk, options, framing: framing)
                guard let catalog = inspection.catalog else { continue }
                guard let refusal = inspection.refusal else { return catalog }
                problem = refusal
            } catch {
                problem = error
            }
        }
        throw problem
    }
}
