package import SkyrosDisk

/// What an opening had to do to the log.
package struct LogRecovery: Equatable, Sendable {
    /// Whether the log was closed in order before, or is new.
    package var wasClean = true
    /// Bytes that were cut off the end because they never became a whole batch.
    package var cutByteCount = 0
    /// Whole blocks among them, behind a gap that a power cut had left.
    package var cutBlockCount = 0
    /// Where the bytes that were cut off are kept, relative to the store's directory.
    package var quarantined: String?
}

extension FileLog {
    /// Makes a new, empty log for the store `storeID`.
    package static func make(
        for storeID: StoreID, on disk: any Disk, _ options: LogOptions, entropy: any Entropy,
        framing: @escaping PayloadFraming
    ) throws(LogError) -> FileLog {
        try onDisk { () throws(DiskError) in
            try disk.makeDirectoryDurably(.events)
        }
        let header = SegmentHeader(
            storeID: storeID, firstSequence: 1, chainHashBefore: ChainHash(beginning: storeID),
            timeBefore: 0, salt: entropy.next(),
            unsyncedBytesMax: UInt64(options.unsyncedBytesMax))
        let active = try NewSegment.make(header, in: SegmentDirectory(on: disk))
        return FileLog(LogCatalog(active: active), on: disk, options, framing)
    }

    /// Opens the log that `inspection` found, after doing what it says must be done.
    ///
    /// A crash during this can be followed by another opening: every step either did not happen
    /// or is done. The bytes that are cut off are kept in quarantine first (promise P5).
    package static func open(
        _ inspection: LogInspection, on disk: any Disk, _ options: LogOptions,
        framing: @escaping PayloadFraming
    ) throws(LogError) -> (FileLog, LogRecovery) {
        if let refusal = inspection.refusal { throw refusal }
        guard var catalog = inspection.catalog else {
            preconditionFailure("an empty directory has no log to open")
        }
        var recovery = LogRecovery()
        try remove(inspection.leftovers, from: disk)
        if case .torn(let offset, let byteCount, let blocks) = inspection.verdict {
            let name = "\(catalog.active.name)-at-\(offset)"
            let bytes = try catalog.active.file.bytes(from: offset, count: byteCount)
            recovery.quarantined = try DurableFile.setAside(bytes, as: name, on: disk)
            recovery.cutByteCount = byteCount
            recovery.cutBlockCount = blocks
        }
        recovery.wasClean = inspection.verdict == .clean
        // Whoever recovers from the next crash believes the bound that the segment names.
        let isBoundEnough =
            catalog.active.header.unsyncedBytesMax >= UInt64(options.unsyncedBytesMax)
        if recovery.wasClean, isBoundEnough {
            catalog.active = try reopened(catalog.active, on: disk)
        } else {
            catalog.active = try rewritten(catalog.active, on: disk, options)
        }
        let log = FileLog(catalog, on: disk, options, framing)
        try log.appendOpening()
        return (log, recovery)
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

    /// Goes on with a segment that was closed in order.
    ///
    /// The sync of its closing block may have failed before the process ended. Then the block can
    /// be read and is not on the medium, and a later sync would leave a hole there, in front of
    /// what was durable by then. So it is written again; everything before it was synced before
    /// it was written, and it says so itself.
    private static func reopened(
        _ segment: OpenSegment, on disk: any Disk
    ) throws(LogError) -> OpenSegment {
        var writable = try OpenSegment(segment.name, on: disk, .readWrite)
        try writable.scanFurther()
        let end = writable.scan.endOffset
        let start = min(max(writable.scan.durableByteCount, SegmentHeader.byteCount), end)
        let file = writable.file
        let bytes = try file.bytes(from: start, count: end - start)
        try onDisk { () throws(DiskError) in
            try bytes.withBytes { bytes throws(DiskError) in try file.write(bytes, at: start) }
            try file.sync()
        }
        return writable
    }

    /// Writes the whole blocks to a new file and lets it take the old one's place. What a
    /// killed process, or one whose sync failed, left in the page cache may never reach the
    /// medium by itself, so nothing of it counts as durable before this.
    private static func rewritten(
        _ segment: OpenSegment, on disk: any Disk, _ options: LogOptions
    ) throws(LogError) -> OpenSegment {
        let rewriting = SegmentRewriter(segment, unsyncedBytesMax: options.unsyncedBytesMax)
        let content = try rewriting.content()
        let file = try DurableFile.write(content, to: segment.name, in: SegmentDirectory(on: disk))
        var fresh = try OpenSegment(segment.name, file: file)
        try fresh.scanFurther()
        return fresh
    }

    private func appendOpening() throws(LogError) {
        let boot = Array(directory.disk.bootID.utf8)
        try withState { state throws(LogError) in
            let sequence = state.catalog.lastSequence
            try boot.withUnsafeBytes { payload in
                Result { () throws(LogError) in
                    try write(.opening, payload, sequence: sequence, deferring: false, &state)
                }
            }.get()
        }
        try sync(through: end)
    }
}
