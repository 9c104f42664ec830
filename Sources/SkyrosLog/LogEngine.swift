/// Numbered batches of bytes, durable before they are acknowledged.
///
/// This is all that commits, reads and the past ask of a log, so that another engine can take its
/// place there. How one is opened and closed, its idle marks and its sealed segments are the
/// engine's own: for `FileLog` the store's wiring sees to them.
///
/// An engine is responsible for:
/// - the order: batches are numbered 1, 2, 3 … without gaps, and read back as they were written;
/// - durability: what was synced survives a power cut, what was appended survives the process;
/// - detecting every difference between what it wrote and what it reads.
///
/// It is not responsible for:
/// - the meaning of a batch: to an engine it is bytes;
/// - threads: its work is done on the threads of those who call it.
package protocol LogEngine: LogReader {
    /// Appends `batch` as number `sequence`, which must be the next one.
    ///
    /// When it returns, the bytes have left the process (promise P1), unless `deferring` is
    /// set: then they may be kept back until the next append, sync or read.
    ///
    /// - Parameter timeBefore: the time of the batch before this one, in microseconds since 1970.
    /// - Throws: `LogError`; the log is then as it was before.
    func append(
        _ batch: UnsafeRawBufferPointer, as sequence: UInt64, timeBefore: Int64, deferring: Bool
    ) throws(LogError) -> LogPosition

    /// Returns once everything up to `position` survives a power cut (promise P2). Callers
    /// who wait at the same time share one sync.
    func sync(through position: LogPosition) throws(LogError)

    /// The position behind everything that was appended so far.
    var end: LogPosition { get }

    /// The position up to which everything is durable.
    var durableEnd: LogPosition { get }
}

/// The reading side of a log: of the writer's own, or of one that somebody else is writing.
package protocol LogReader: Sendable {
    /// Where the log stands.
    var head: LogHead { get }

    /// Reads some batches, `sequence` among them; nil if the log does not hold it.
    func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk?
}

/// A log that is looked at from outside, beside whoever writes it.
package protocol ObservedLog: LogReader {
    /// The store that the log belongs to.
    var storeID: StoreID { get }

    /// How large the log is.
    var statistics: LogStatistics { get }

    /// Looks again; returns whether there is more than before.
    func refresh() throws(LogError) -> Bool
}

/// How much a log had taken at some moment; later positions are greater.
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

extension LogReader {
    /// Calls `body` with the batches from `first` through `last`, in order, until it returns
    /// false. The bytes are valid for the call only.
    package func forEach(
        from first: UInt64, through last: UInt64,
        _ body: (_ sequence: UInt64, _ batch: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var next = first
        while next <= last {
            guard let chunk = try chunk(containing: next) else { return }
            let goesOn = try chunk.forEach(from: next) { sequence, batch in
                guard sequence <= last else { return false }
                return try body(sequence, batch)
            }
            guard goesOn else { return }
            next = chunk.lastSequence + 1
        }
    }
}
