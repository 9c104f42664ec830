import Dispatch
import SkyrosDisk
import SkyrosLog

/// What an open store stands on.
struct StoreResources: Sendable {
    let disk: any Disk
    let lock: any DiskLock
    let log: FileLog
    let schema: Schema
    let clock: any WallClock
    let options: Store.Options

    /// Gives an error that no caller receives to the user's handler, on the callback queue.
    var report: @Sendable (StoreError) -> Void {
        guard let handler = options.onError else { return { _ in } }
        let queue = options.callbackQueue
        return { error in queue.async { handler(error) } }
    }
}

extension Store.Options {
    var log: LogOptions {
        var log = LogOptions()
        log.segmentBytesMax = segmentBytesMax
        log.batchBytesMax = min(eventBytesMax, LogOptions.batchBytesLimit)
        log.unsyncedBytesMax = max(log.unsyncedBytesMax, 2 * log.batchBytesMax)
        return log
    }
}
