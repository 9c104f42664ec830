package import SkyrosDisk

/// What opening a log had to repair.
package struct LogRecovery: Equatable, Sendable {
    /// Whether the log was closed in order before, or is new.
    package var wasClean = true
    /// Bytes of an incomplete write that were cut off the end.
    package var cutByteCount = 0
    /// Complete blocks among them, after a gap that a power cut left.
    package var cutBlockCount = 0
    /// The copy of the bytes that were cut off, after the segment's header, relative to the store's
    /// directory.
    package var quarantined: String?
    /// Files whose events other files hold, and that could not be read, where they are now.
    package var quarantinedFiles: [String] = []
}

extension FileLog {
    /// Creates an empty log for the store `storeID`.
    package static func make(
        for storeID: StoreID, on disk: any Disk, _ options: LogOptions, entropy: any Entropy,
        framing: @escaping PayloadFraming
    ) throws(LogError) -> FileLog {
        try onDisk(disk.makeDirectoryDurably(.events))
        let header = SegmentHeader(
            beginning: storeID, salt: entropy.next(), unsyncedBytesMax: options.unsyncedBytesMax)
        let active = try OpenSegment(creating: header, in: SegmentDirectory(on: disk))
        let catalog = LogCatalog(format: FrameFormat(options, framing), active: active)
        return FileLog(catalog, on: disk, options)
    }

    /// Opens the log that `inspection` found, and repairs its end as the inspection demands.
    ///
    /// Every step is atomic, so the next opening can follow a crash at any point. The bytes that
    /// are cut off are quarantined first (promise P5).
    package static func open(
        _ inspection: LogInspection, on disk: any Disk, _ options: LogOptions
    ) throws(LogError) -> (FileLog, LogRecovery) {
        if let refusal = inspection.refusal { throw refusal }
        guard var catalog = inspection.catalog else {
            preconditionFailure("an empty directory has no log to open")
        }
        if inspection.isPruningUnfinished, let floor = catalog.floor {
            catalog.floor = try renewed(floor, on: disk)
        }
        var recovery = LogRecovery()
        if let unnamed = inspection.unnamed {
            try onDisk { () throws(DiskError) in
                try disk.rename(unnamed.path, to: catalog.active.name.path)
                try disk.syncDirectory(.events)
            }
        }
        for name in inspection.covers {
            for index in catalog.sealed.indices where catalog.sealed[index].name == name {
                catalog.sealed[index] = try renewed(catalog.sealed[index], on: disk)
            }
        }
        for name in inspection.unreadable {
            recovery.quarantinedFiles.append(try DurableFile.quarantine(name, on: disk))
        }
        try remove(inspection.leftovers, from: disk)
        if case .torn(let offset, let byteCount, let blocks) = inspection.verdict {
            let name = "\(catalog.active.name)-at-\(offset)"
            // With the header, whose salt and chain hash the checksums of the blocks need.
            let active = catalog.active
            let header = try active.file.bytes(from: 0, count: active.header.byteCount)
            let bytes = try header + active.file.bytes(from: offset, count: byteCount)
            recovery.quarantined = try DurableFile.quarantine(bytes, as: name, on: disk)
            recovery.cutByteCount = byteCount
            recovery.cutBlockCount = blocks
        }
        recovery.wasClean = inspection.verdict == .clean
        let isKnown = catalog.active.scan.wasOpened(on: disk)
        if !isKnown { try sync(catalog, on: disk) }
        // Recovery after the next crash relies on the bound in the segment's header.
        let isBoundEnough =
            catalog.active.header.unsyncedBytesMax >= UInt64(options.unsyncedBytesMax)
        if recovery.wasClean, isBoundEnough, isKnown {
            catalog.active = try reopened(catalog.active, on: disk)
            let log = FileLog(catalog, on: disk, options)
            try log.markOpening()
            return (log, recovery)
        }
        catalog.active = try rewritten(catalog.active, on: disk, options)
        return (FileLog(catalog, on: disk, options), recovery)
    }

    /// Syncs the files of a log that no log has opened in this directory: it may be a plain copy,
    /// and `cp` syncs nothing.
    private static func sync(_ catalog: LogCatalog, on disk: any Disk) throws(LogError) {
        let names =
            (catalog.floor.map { [$0.name] } ?? []) + catalog.sealed.map(\.name)
            + catalog.ended.map(\.name)
        try onDisk { () throws(DiskError) in
            for name in names {
                let file = try disk.open(name.path, .readWrite)
                try file.sync()
                try file.close()
            }
            try disk.syncDirectory(.events)
            try disk.syncDirectory(.root)
        }
    }

    private static func remove(
        _ leftovers: [SegmentName], from disk: any Disk
    ) throws(LogError) {
        guard !leftovers.isEmpty else { return }
        try onDisk { () throws(DiskError) in
            for name in leftovers { try disk.remove(name.path) }
            try disk.syncDirectory(.events)
        }
    }

    /// Writes the file of a sealed segment again, before others that hold its batches are removed.
    ///
    /// The process that named it may have failed to sync the directory. The name is then in the
    /// page cache only, and a later sync would prove nothing about it.
    private static func renewed(
        _ segment: SealedSegment, on disk: any Disk
    ) throws(LogError) -> SealedSegment {
        let file = try onDisk(disk.open(segment.name.path, .read))
        let content = try file.bytes(from: 0, count: segment.byteCount)
        _ = try DurableFile.write(content, to: segment.name, in: SegmentDirectory(on: disk))
        return try SealedSegment(segment.name, on: disk)
    }

    /// Reads all of a floor and writes its file again, for the same reason, before what it has
    /// replaced is removed.
    private static func renewed(
        _ floor: LogFloor, on disk: any Disk
    ) throws(LogError) -> LogFloor {
        try floor.verify()
        return try floor.copied(to: SegmentDirectory(on: disk))
    }

    /// Opens a segment for appending that a log in this directory has closed in order, so that its
    /// name is durable.
    ///
    /// The sync of its closing block may have failed before the process ended. The block is then in
    /// the page cache but not on the medium, and a later sync would leave a hole before durable
    /// bytes. So the block is written and synced again. Everything before it was synced earlier, as
    /// its header says.
    private static func reopened(
        _ segment: OpenSegment, on disk: any Disk
    ) throws(LogError) -> OpenSegment {
        let writable = try OpenSegment(segment.name, on: disk, .readWrite)
        let end = writable.scan.endOffset
        let start = min(max(writable.scan.durableByteCount, writable.header.byteCount), end)
        let file = writable.file
        let bytes = try file.bytes(from: start, count: end - start)
        try onDisk { () throws(DiskError) in
            try bytes.withBytes { bytes throws(DiskError) in try file.write(bytes, at: start) }
            try file.sync()
        }
        return writable
    }

    /// Copies the valid blocks and an opening block to a new file, which replaces the old one.
    ///
    /// What a killed process, or one whose sync failed, left in the page cache may never reach the
    /// medium. So nothing of it counts as durable before it is written again. That includes the
    /// name: the opening block is in the file before it is renamed, so that a file whose name may
    /// not be durable never ends with a closing block, which it may have copied.
    private static func rewritten(
        _ segment: OpenSegment, on disk: any Disk, _ options: LogOptions
    ) throws(LogError) -> OpenSegment {
        let content = try SegmentRewriter(segment, unsyncedBytesMax: options.unsyncedBytesMax)
            .content(openedOn: disk)
        let file = try DurableFile.write(content, to: segment.name, in: SegmentDirectory(on: disk))
        return try OpenSegment(segment.name, file: file)
    }

    private func markOpening() throws(LogError) {
        let payload = OpeningPayload(on: directory.disk)
        try payload.bytes.withBytes { payload throws(LogError) in
            try withState { state throws(LogError) in
                let sequence = state.catalog.lastSequence
                try write(.opening, payload, sequence: sequence, deferring: false, &state)
            }
        }
        try sync(through: end)
    }
}
