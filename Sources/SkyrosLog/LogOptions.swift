/// The limits of a log: sizes in bytes, and a time.
package struct LogOptions: Sendable {
    /// The size at which a segment ends and is sealed in the background. Larger segments do not
    /// compress better, and a crash costs the rewrite of one. Default: 16 MiB.
    package var segmentBytesMax = 16 << 20

    /// The content from which on an active segment is sealed on closing and after a pause. With
    /// less it is continued. Default: 64 KiB.
    package var sealThresholdBytes = 64 << 10

    /// The time that one segment may span, in microseconds, from the batch before its first to its
    /// last; nil for any. A segment that spans more takes no more batches, and is sealed however
    /// small; merges never make one. Default: nil.
    package var timeSpanMax: Int64?

    /// The size of the largest batch. Default: 64 MiB, at most `batchBytesLimit`.
    package var batchBytesMax = 64 << 20

    /// The largest value of `batchBytesMax`: 1 GiB.
    package static let batchBytesLimit = 1 << 30

    /// What may be written and not synced; an append beyond it waits for a sync. Recovery never
    /// cuts off more. Must exceed `batchBytesMax`. Default: 128 MiB.
    package var unsyncedBytesMax = 128 << 20

    /// The step in which the active segment's file is preallocated, so that a sync has no metadata
    /// to write and a full disk is noticed early. Default: 1 MiB.
    package var preallocationBytes = 1 << 20

    /// The content of one compressed frame. Smaller frames are read faster, larger ones compress
    /// better. Default: 64 KiB.
    package var frameBytes = 64 << 10

    /// What deferred appends may keep in the process. Default: 1 MiB.
    package var deferredBytesMax = 1 << 20

    /// The content of the largest frame that is read. The writer's limits may have been others than
    /// this reader's.
    var contentBytesMax: Int { Self.batchBytesLimit + frameBytes }

    /// Whether a torn tail may be cut off with the valid blocks after it although the machine was
    /// not rebooted, as when a disk was pulled. Default: no; the opening is refused.
    package var acceptsLostTail = false

    package init() {}

    /// The limits of a copy of another log, whose limits may have been others: a batch is at most
    /// as large as the format takes.
    package var ofCopy: LogOptions {
        var copy = self
        copy.batchBytesMax = Self.batchBytesLimit
        copy.unsyncedBytesMax = max(unsyncedBytesMax, 2 * Self.batchBytesLimit)
        return copy
    }
}
