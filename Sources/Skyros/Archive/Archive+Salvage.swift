public import Foundation
package import SkyrosDisk
package import SkyrosLog

extension Archive {
    /// What is damaged, if the archive reads up to the damage; nil if it reads the whole.
    ///
    ///     let archive = try Archive(at: url, reading: .upToDamage)
    ///     if archive.damage?.isEmpty == false { … }
    ///
    /// May be asked from any thread; nothing is read.
    public var damage: DamageReport? { survey.map { DamageReport($0) } }

    /// Calls `body` with each event that can be read behind `sequence`, in order, until it returns
    /// false; what cannot be read is left out.
    ///
    ///     try archive.forEachReadableEvent(after: report.sequence) { event in … }
    ///
    /// Such events do not follow on the state before them, as others are missing: they are for a
    /// person to look at, not to be folded. May be called from any thread.
    ///
    /// - Parameters:
    ///   - sequence: nil for the last event before the first damage.
    ///   - body: gets each event; false ends the iteration.
    /// - Throws: what `body` throws; `StoreError` with `.invalidEvent` if one cannot be understood,
    ///   `.io` and the like if the disk refuses.
    public func forEachReadableEvent(
        after sequence: SequenceNumber? = nil, _ body: (Event) throws -> Bool
    ) throws {
        let survey = try surveyed()
        let start = sequence?.rawValue ?? survey.head.sequence
        do {
            try survey.forEach(after: start) { number, bytes in
                let expected = SequenceNumber(rawValue: number)
                return try body(EventCoding.event(from: bytes, expecting: expected))
            }
        } catch let error as LogError {
            throw StoreError(error)
        }
    }

    /// Writes a new store with the events up to the first damage, each as it was: its bytes, its
    /// sequence, its time, and the chain hash through it.
    ///
    ///     let archive = try Archive(at: damaged, reading: .upToDamage)
    ///     let report = try archive.salvage(into: target)
    ///
    /// The damaged store is not touched. The new one appears at the end, whole and durable, or not
    /// at all. May be called from any thread; it takes as long as reading the log twice does.
    ///
    /// - Parameters:
    ///   - directory: where to; nothing, or an empty directory, and not inside the damaged store.
    ///   - progress: called after each event.
    /// - Throws: `StoreError` with `.invalidInput` if the directory is not empty, `.diskFull`, `.io`,
    ///   `.logCorrupt` if not even the store's id can be read.
    @discardableResult
    public func salvage(
        into directory: URL, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> SalvageReport {
        let path = directory.path(percentEncoded: false)
        if let own = disk.systemPath, (Self.resolved(directory) + "/").hasPrefix(own + "/") {
            throw StoreError(.invalidInput, "\(path) lies in the damaged store; name another place")
        }
        let files = FileManager.default
        let wasThere = files.fileExists(atPath: path)
        do {
            let disk = try StoreError.wrap(try PosixDisk(path: path, creating: true))
            return try salvage(onto: Environment(disk: disk), progress: progress)
        } catch {
            let isEmpty = (try? files.contentsOfDirectory(atPath: path))?.isEmpty ?? false
            // What was made for nothing goes again; the error that led here is the one that counts.
            if !wasThere, isEmpty { try? files.removeItem(atPath: path) }
            throw error
        }
    }

    /// A path without symbolic links, whose last parts need not be there yet.
    private static func resolved(_ directory: URL) -> String {
        var there = directory.standardizedFileURL
        var missing: [String] = []
        while !FileManager.default.fileExists(atPath: there.path), there.path != "/" {
            missing.insert(there.lastPathComponent, at: 0)
            there.deleteLastPathComponent()
        }
        let parent = (try? System.realPath(there.path)) ?? there.path
        return ([parent] + missing).joined(separator: "/")
    }

    /// As `salvage(into:progress:)`, onto a disk that must be empty.
    package func salvage(
        onto target: Environment, options: LogOptions = LogOptions(),
        progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> SalvageReport {
        let survey = try surveyed()
        guard survey.isStoreKnown else {
            throw StoreError(.logCorrupt, "no segment says which store it belongs to")
        }
        try Self.requireEmpty(target.disk)
        let lock = try StoreError.wrap(try target.disk.lock())
        let copy = SalvagedLogWriter(
            for: survey.storeID, on: target.disk, options, entropy: target.entropy)
        do {
            try copy.begin()
            let report = try fill(copy, from: survey, progress)
            try copy.finish()
            try checkCopy(on: target, report)
            lock.release()
            return report
        } catch {
            copy.discard()
            lock.release()
            // The error that led here is the one that counts.
            try? target.disk.remove(DiskPath(.root, "lock"))
            throw StoreError.wrapping(error)
        }
    }

    private func surveyed() throws -> DamageScan {
        if let survey { return survey }
        return try StoreError.wrap(try Self.survey(disk))
    }

    private static func requireEmpty(_ disk: any Disk) throws {
        let names = try StoreError.wrap(try disk.list(.root) + disk.list(.events))
        guard names.isEmpty else {
            throw StoreError(
                .invalidInput, "the directory holds something already; name another one",
                at: StoreError.Place(file: disk.systemPath))
        }
    }

    /// Copies event after event, as long as each fits the state before it.
    private func fill(
        _ copy: SalvagedLogWriter, from survey: DamageScan, _ progress: (SequenceNumber) -> Void
    ) throws -> SalvageReport {
        var state = empty
        var dirty = DirtyRows(isRecording: false)
        var misfit: DamageReport.Damage?
        try survey.forEach(from: 1, through: survey.head.sequence) { number, bytes in
            let sequence = SequenceNumber(rawValue: number)
            let check = copy.head.chainHash.advanced(by: XXH64.hash(bytes))
            do {
                let event = try EventCoding.event(from: bytes, expecting: sequence)
                try Projector.apply(event, chainHash: check, to: &state, marking: &dirty)
            } catch let error as StoreError where error.code == .invalidEvent {
                let place = survey.location(of: number)
                misfit = DamageReport.Damage(
                    error, event: sequence, segment: "events/\(place?.segment ?? "")",
                    offset: place?.offset ?? 0)
                // What an event that does not fit leaves of the state is of no use.
                state = try HistoryReader(log: survey, empty: empty)
                    .snapshot(asOf: .sequence(SequenceNumber(rawValue: copy.head.sequence)))
                return false
            }
            try copy.append(bytes, time: state.time.microseconds)
            progress(sequence)
            return true
        }
        let damage = DamageReport(survey)
        var behind = damage.readableAfterDamage
        if let first = misfit?.sequences?.lowerBound, first < damage.sequence {
            behind.insert(first.next...damage.sequence, at: 0)
        }
        return SalvageReport(
            sequence: state.sequence, digest: try state.digest(),
            damages: (misfit.map { [$0] } ?? []) + damage.damages, tornTail: damage.tornTail,
            readableAfterDamage: behind)
    }

    /// Reads the copy back as anybody would.
    private func checkCopy(on target: Environment, _ report: SalvageReport) throws {
        let result = try Archive(on: target).verify()
        guard result.ok, result.sequence == report.sequence, result.digest == report.digest else {
            throw StoreError(
                .io, "the new store does not read back as it was written: it was removed",
                cause: result.problems.first)
        }
    }
}
