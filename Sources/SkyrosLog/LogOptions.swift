/// The log's limits and sizes, all in bytes.
package struct LogOptions: Sendable {
    /// A segment that has reached this size is closed and sealed in the background. Larger ones
    /// compress no better, and after a crash one of them is rewritten. Default: 16 MiB.
    package var segmentBytesMax = 16 << 20

    /// The largest batch; larger ones are refused. Default: 64 MiB, at most `batchBytesLimit`.
    package var batchBytesMax = 64 << 20

    /// What `batchBytesMax` may be at most: 1 GiB.
    package static let batchBytesLimit = 1 << 30

    /// What may be written and not yet synced; more waits for a sync. Recovery never cuts off
    /// more than this. Must exceed `batchBytesMax`. Default: 128 MiB.
    package var unsyncedBytesMax = 128 << 20

    /// The step in which the active segment's file is made longer ahead of the writer, so that
    /// a sync has no metadata to write and a full disk is noticed early. Default: 1 MiB.
    package var preallocationBytes = 1 << 20

    /// The content of one compressed frame: smaller ones are reached faster, larger ones
    /// compress better. Default: 64 KiB.
    package var frameBytes = 64 << 10

    /// What a `deferred` append may keep in the process. Default: 1 MiB.
    package var deferredBytesMax = 1 << 20

    /// The content of the largest frame that is read: any that some writer may have written,
    /// whose limit for batches need not be that of this reader.
    var contentBytesMax: Int { Self.batchBytesLimit + frameBytes }

    package init() {}
}
