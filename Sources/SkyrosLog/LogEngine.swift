/// The reading side of a log: batches of bytes, numbered 1, 2, 3 … without gaps. A log that was
/// pruned begins after its floor.
package protocol LogReader: Sendable {
    /// What takes the place of the batches that the log does not keep; nil if it has all.
    var floor: LogFloor? { get }

    /// The last batch, and the chain hash through it. An engine may leave out deferred batches
    /// until they have left the process.
    var head: LogHead { get }

    /// Reads consecutive batches, `sequence` among them; nil if the log does not hold it.
    func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk?
}

/// A log as a store writes it. Commits, reads and maintenance ask for nothing more, so an engine
/// may keep its batches in files, in memory or in a database.
///
/// An engine is responsible for:
/// - order: it appends a batch only as the next one, and reads batches back as they were written;
/// - durability: a synced batch survives a power cut, an appended one survives the process;
/// - detection: it notices every difference between what it wrote and what it reads.
///
/// An engine is not responsible for:
/// - the meaning of a batch;
/// - threads: it works on the threads of its callers. Every method may be called from any thread.
///
/// `LogEngineContractTests` runs these rules on each engine.
package protocol LogEngine: LogReader {
    /// The store that the log belongs to.
    var storeID: StoreID { get }

    /// The chain hash before the first batch.
    var beginning: ChainHash { get }

    /// The end of the log.
    var end: LogPosition { get }

    /// The position up to which every batch survives a power cut.
    var durableEnd: LogPosition { get }

    /// The last batch that survives the death of the process: older than `head` only while
    /// deferred batches wait.
    var writtenHead: LogHead { get }

    /// Compares and appends: adds `batch` if `sequence` is the number after the last batch.
    ///
    /// On return the bytes have left the process (promise P1). With `deferring`, they may stay in
    /// the process until the next append, sync or read.
    ///
    /// - Parameter timeBefore: the time of the batch before this one, in microseconds since 1970.
    /// - Throws: `LogError`, with `.conflict` if another number is next. The log is unchanged then.
    func append(
        _ batch: UnsafeRawBufferPointer, as sequence: UInt64, timeBefore: Int64, deferring: Bool
    ) throws(LogError) -> LogPosition

    /// Returns once every deferred batch has left the process.
    func flush() throws(LogError)

    /// Returns once every batch up to `position` survives a power cut (promise P2). Threads that
    /// wait at the same time share one sync.
    func sync(through position: LogPosition) throws(LogError)

    /// Syncs every batch and takes no more of them; reads still work. A second call does nothing.
    func close() throws(LogError)

    /// The log's maintenance of segment files; nil if it has none.
    var segments: (any SegmentedLog)? { get }

    /// The part of the log that other nodes write too; nil if this process is the only writer.
    var shared: (any SharedLog)? { get }
}

extension LogEngine {
    /// That of a log whose batches are all of one store.
    package var beginning: ChainHash { ChainHash(beginning: storeID) }

    package var segments: (any SegmentedLog)? { nil }

    package var shared: (any SharedLog)? { nil }

    /// Does nothing, for an engine that defers nothing.
    package func flush() throws(LogError) {}
}

extension LogReader {
    /// Nil, for a log that is never pruned.
    package var floor: LogFloor? { nil }
}

extension ObservedLog {
    /// None, for an engine without segments.
    package var borders: [LogBorder] { [] }

    /// None, for an engine without segments.
    package var statedTimes: [StatedTime] { [] }
}

/// The part of a log that consists of segment files.
package protocol SegmentedLog: Sendable {
    /// The number of segments that wait to be sealed.
    var endedSegmentCount: Int { get }

    /// Whether the active segment holds more than is worth keeping uncompressed, so that it ends on
    /// closing and after a pause, before it is full.
    var isActiveSealable: Bool { get }

    /// Ends the active segment if it is sealable, everything is durable, and `last` is still the
    /// last batch; returns whether it did.
    ///
    /// - Parameter time: the time of that batch, in microseconds since 1970.
    func endSegment(after last: UInt64, at time: Int64) throws(LogError) -> Bool

    /// Seals the oldest ended segment, which compresses it; returns whether there was one. One
    /// thread at a time may call it and `mergeNext`.
    func sealNext() throws(LogError) -> Bool

    /// Merges small sealed segments into one, if that is due; returns whether it was. Batches may
    /// be appended and read meanwhile.
    func mergeNext() throws(LogError) -> Bool

    /// Reads a part of the floor and the sealed segments again, from the frame with the batch
    /// `sequence` on, and compares it with its checksums. Before the floor's number it reads the
    /// floor. It reads at least one frame, and ends with the one that
    /// reaches `byteCountMax` bytes. The thread that seals and merges may call it.
    ///
    /// - Throws: `LogError` with `.suspended`; `.io` if files cannot be read for now. Damage is
    ///   recorded, not thrown.
    func checkSealed(from sequence: UInt64, byteCountMax: Int) throws(LogError) -> SealedCheck

    /// The size of the floor and the sealed segments' files, and the last batch in them; nil if
    /// there are none.
    var sealedExtent: (byteCount: Int, lastSequence: UInt64)? { get }

    /// The places where the log may be pruned, in order.
    var borders: [LogBorder] { get }

    /// Writes a floor below the segment that begins with `first`: `body` writes the frames, and
    /// returns the index; `check` may refuse what was read back. Nothing is removed yet.
    ///
    /// - Throws: what `body` throws; `LogError`, with `.conflict` if that segment does not follow a
    ///   sealed one. The log is as before.
    func makeFloor(
        below first: UInt64, _ body: (inout FloorWriter) throws -> [UInt8],
        check: (LogFloor) throws(LogError) -> Void
    ) throws -> LogFloor

    /// Takes a floor, and removes the segments below it. The thread that seals and merges may call
    /// it. Batches may be appended and read meanwhile.
    ///
    /// - Parameter body: runs when the log has taken the floor, before anything is removed.
    func prune(to floor: LogFloor, before body: () -> Void) throws(LogError) -> LogPruning

    /// Appends and syncs an idle mark after a durable batch, so that the file itself proves where
    /// its durable end is (promise P6).
    func markIdle() throws(LogError)

    /// Takes no more batches and syncs nothing until `resume`: both throw `.suspended`. Writes what
    /// is deferred. Waits for no sync. The disk must be suspended afterwards, for other changes.
    func suspend()

    /// Returns once no sync is in progress.
    func waitForSync()

    /// Continues with what `inspection` has found, which another process may have appended to.
    /// Everything in it is durable after that.
    func resume(after inspection: LogInspection) throws(LogError)

    /// Takes no more batches and reads none: both throw `error`. Its files are about to be removed,
    /// and later files may have their names.
    func retire(_ error: LogError)

    /// The size of the log.
    var statistics: LogStatistics { get }
}

/// A log that another process may be writing.
package protocol ObservedLog: LogReader {
    /// The store that the log belongs to.
    var storeID: StoreID { get }

    /// The chain hash before the first batch. It is the hash of the first segment's store, which a
    /// fork continues under another id.
    var beginning: ChainHash { get }

    /// The size of the log; nil if the engine has no files to measure.
    var statistics: LogStatistics? { get }

    /// The places where the log may be pruned, in order.
    var borders: [LogBorder] { get }

    /// The times that segments state besides the batches: they should be those of the batches.
    var statedTimes: [StatedTime] { get }

    /// Reads what was appended since the last call; returns whether there was anything.
    ///
    /// - Throws: `LogError`, with `.otherHistory` if the log does not continue what was read.
    func refresh() throws(LogError) -> Bool
}

/// A point in a log as this process wrote it; later positions are greater.
package struct LogPosition: Comparable, Sendable {
    /// Bytes appended since the log was opened.
    package let byteCount: Int
    /// The last batch before this position, and the chain hash through it.
    package let head: LogHead

    package init(byteCount: Int, head: LogHead) {
        self.byteCount = byteCount
        self.head = head
    }

    package static func < (a: LogPosition, b: LogPosition) -> Bool {
        a.byteCount < b.byteCount
    }
}
