public import Foundation
package import SkyrosDisk
package import SkyrosLog

extension Archive {
    /// What is damaged, if the archive reads up to the damage; nil if it reads the whole.
    ///
    ///     let archive = try Archive(at: url, reading: .upToDamage)
    ///     if archive.damage?.isEmpty == false { … }
    ///
    /// May be called from any thread; reads nothing.
    public var damage: DamageReport? { scan.map { DamageReport($0) } }

    /// Calls `body` with each event after `sequence` that can be read, in order, until it returns
    /// false.
    ///
    ///     try archive.forEachReadableEvent(after: report.sequence) { event in … }
    ///
    /// Events before them are missing, so they cannot be replayed. May be called from any thread.
    ///
    /// - Parameters:
    ///   - sequence: nil for the last event before the first damage.
    ///   - body: gets each event; false ends the iteration.
    /// - Throws: what `body` throws; `StoreError` with `.invalidEvent` if one cannot be understood,
    ///   `.io` and the like if a disk operation fails.
    public func forEachReadableEvent(
        after sequence: SequenceNumber? = nil, _ body: (Event) throws -> Bool
    ) throws {
        try forEachReadableEvent(after: sequence, skipping: { throw $0 }, body)
    }

    /// The same. `skip` gets the error of each event that cannot be understood; the events after it
    /// follow unless it throws.
    package func forEachReadableEvent(
        after sequence: SequenceNumber?, skipping skip: (StoreError) throws -> Void,
        _ body: (Event) throws -> Bool
    ) throws {
        let scan = try damageScan()
        do {
            try scan.forEach(after: sequence?.rawValue ?? scan.head.sequence) { number, bytes in
                let event: Event
                do {
                    let expected = SequenceNumber(rawValue: number)
                    event = try EventCoding.event(from: bytes, expecting: expected)
                } catch let error as StoreError where error.code == .invalidEvent {
                    try skip(error)
                    return true
                }
                return try body(event)
            }
        } catch let error as LogError {
            throw StoreError(error)
        }
    }

    /// Writes a new store with the events up to the first damage. Their bytes, sequences, times and
    /// chain hashes stay the same. That of a pruned store begins with the same floor.
    ///
    ///     let archive = try Archive(at: damaged, reading: .upToDamage)
    ///     let report = try archive.salvage(into: target)
    ///
    /// The damaged store is not changed. The new one appears complete and durable, or not at all.
    /// May be called from any thread; it reads the log twice.
    ///
    /// - Parameters:
    ///   - directory: the new store: nothing, or an empty directory, and not in the damaged store.
    ///   - progress: called after each event that is copied or read back, and for the digest.
    /// - Throws: `StoreError` with `.invalidInput` if the directory is not empty, `.diskFull`,
    ///   `.io`, `.logCorrupt` if the store's ID cannot be read.
    @discardableResult
    public func salvage(
        into directory: URL, progress: (StoreProgress) -> Void = { _ in }
    ) throws -> SalvageReport {
        try Self.withNewDirectory(directory, outside: disk) { target in
            try salvage(onto: target, progress: progress)
        }
    }

    /// Runs `body` on a new directory, which is removed again if it throws and left no file.
    static func withNewDirectory<R>(
        _ directory: URL, outside source: any Disk, _ body: (Environment) throws -> R
    ) throws -> R {
        let path = directory.path(percentEncoded: false)
        if lies(directory, in: source) {
            throw StoreError(.invalidInput, "\(path) is in the store; name another place")
        }
        let files = FileManager.default
        let wasThere = files.fileExists(atPath: path)
        do {
            let disk = try StoreDirectory.disk(at: directory, creating: true)
            return try body(Environment(disk: disk))
        } catch {
            let isEmpty = (try? files.contentsOfDirectory(atPath: path))?.isEmpty ?? false
            // The first error counts.
            if !wasThere, isEmpty { try? files.removeItem(atPath: path) }
            throw error
        }
    }

    /// The path without symbolic links. Its last components need not exist.
    static func resolved(_ directory: URL) -> String {
        var existing = directory.standardizedFileURL
        var missing: [String] = []
        while !FileManager.default.fileExists(atPath: existing.path), existing.path != "/" {
            missing.insert(existing.lastPathComponent, at: 0)
            existing.deleteLastPathComponent()
        }
        let parent = (try? System.realPath(existing.path)) ?? existing.path
        return ([parent] + missing).joined(separator: "/")
    }

    /// As `salvage(into:progress:)`, onto a disk that must be empty.
    package func salvage(
        onto target: Environment, options: LogOptions = LogOptions(),
        progress: (StoreProgress) -> Void = { _ in }
    ) throws -> SalvageReport {
        let scan = try damageScan()
        guard scan.isStoreKnown else {
            throw StoreError(.logCorrupt, "no segment has a readable store id")
        }
        // A floor says with which id the chain hash begins, so the segments keep theirs.
        let storeID = scan.floor == nil ? scan.originID : scan.storeID
        return try Self.withNewLog(
            of: storeID, after: scan.floor, on: target, options, progress
        ) { writer in
            let report = try copyEvents(from: scan, to: writer, progress)
            try copyPositions(to: target, through: writer.head)
            return report
        }
    }

    /// Copies the positions of subscriptions as far as the new store goes. One that cannot be read
    /// is left out: its subscription asks.
    private func copyPositions(to target: Environment, through head: LogHead) throws {
        let files = PositionFiles(on: disk)
        try PositionFiles(on: target.disk).update(
            to: files.readable(), of: files.names(),
            inLogThrough: SequenceNumber(rawValue: head.sequence), head.chainHash)
    }

    /// Writes a new store: `body` appends its events and returns what was written, with which the
    /// store is compared. It appears complete and durable, or not at all.
    static func withNewLog(
        of storeID: StoreID, after floor: LogFloor? = nil, on target: Environment,
        _ options: LogOptions, _ progress: (StoreProgress) -> Void,
        _ body: (SalvagedLogWriter) throws -> SalvageReport
    ) throws -> SalvageReport {
        try requireEmpty(target.disk)
        let lock = try StoreError.wrap(try target.disk.lock())
        let writer = SalvagedLogWriter(
            for: storeID, after: floor, on: target.disk, options, entropy: target.entropy)
        do {
            try StoreError.wrap(try FormatNote.write(on: target.disk))
            try writer.begin()
            let report = try body(writer)
            try writer.finish()
            try checkCopy(on: target, report, progress)
            lock.release()
            return report
        } catch {
            writer.discard()
            lock.release()
            // The first error counts.
            try? PositionFiles(on: target.disk).removeAll()
            for file in [FormatNote.file, DiskPath(.root, "lock")] {
                try? target.disk.remove(file)
            }
            throw StoreError.wrapping(error)
        }
    }

    private func damageScan() throws -> DamageScan {
        try scan ?? StoreError.wrap(try Self.scan(disk))
    }

    private static func requireEmpty(_ disk: any Disk) throws {
        let names = try StoreError.wrap(try disk.list(.root) + disk.list(.events))
        guard names.isEmpty else {
            throw StoreError(
                .invalidInput, "the directory is not empty; name another one",
                at: StoreError.Place(file: disk.systemPath))
        }
    }

    /// Copies the events as long as each one can be applied to the state before it.
    private func copyEvents(
        from scan: DamageScan, to writer: SalvagedLogWriter, _ progress: (StoreProgress) -> Void
    ) throws -> SalvageReport {
        var state = try HistoryReader(log: scan, empty: empty).beginning()
        var dirty = DirtyRows(isRecording: false)
        var invalid: DamageReport.Damage?
        try scan.forEach(after: 0) { number, bytes in
            guard number <= scan.head.sequence else { return false }
            let sequence = SequenceNumber(rawValue: number)
            let chainHash = writer.head.chainHash.advanced(by: XXH64.hash(bytes))
            do {
                let event = try EventCoding.event(from: bytes, expecting: sequence)
                try Projector.apply(event, chainHash: chainHash, to: &state, marking: &dirty)
            } catch let error as StoreError where error.code == .invalidEvent {
                let location = scan.location(of: number)
                invalid = DamageReport.Damage(
                    error, event: sequence, segment: "events/\(location?.segment ?? "")",
                    offset: location?.offset ?? 0)
                // The event may have changed a part of the state.
                state = try HistoryReader(log: scan, empty: empty)
                    .snapshot(asOf: .sequence(SequenceNumber(rawValue: writer.head.sequence)))
                return false
            }
            try writer.append(bytes, time: state.time.microseconds)
            let last = SequenceNumber(rawValue: scan.head.sequence)
            progress(StoreProgress(.salvaging, sequence, of: last))
            return true
        }
        let damage = DamageReport(scan)
        var readable = damage.readableAfterDamage
        if let first = invalid?.sequences?.lowerBound, first < damage.sequence {
            readable.insert(first.next...damage.sequence, at: 0)
        }
        return SalvageReport(
            firstSequence: EventReader(scan).first, sequence: state.sequence,
            digest: try state.digest(), damages: (invalid.map { [$0] } ?? []) + damage.damages,
            tornTail: damage.tornTail, readableAfterDamage: readable, lostEvents: lostEvents)
    }

    /// Verifies the copy as any reader does.
    private static func checkCopy(
        on target: Environment, _ report: SalvageReport, _ progress: (StoreProgress) -> Void
    ) throws {
        let result = try Archive(on: target).verify {
            progress($0.step == .reading ? StoreProgress(.checking, $0.done, of: $0.total) : $0)
        }
        guard result.ok, result.sequence == report.sequence, result.digest == report.digest else {
            throw StoreError(
                .io, "the new store could not be read back as it was written, and was removed",
                cause: result.problems.first)
        }
    }
}
