import SkyrosDisk

/// The directory of the segments, whose names become durable one sync after the other, and by none
/// after one that failed (promise P10).
///
/// A full segment's successor and a sealed segment get their names on two threads. If the sync of
/// one fails, the other's name may be lost with it, and a sync of the directory that comes right
/// behind would succeed and prove nothing.
final class SegmentDirectory: Sendable {
    let disk: any Disk
    private let failure = Locked<DiskError?>(nil)

    init(on disk: any Disk) {
        self.disk = disk
    }

    /// Makes the names of segments survive a power cut.
    ///
    /// - Throws: `DiskError`, the same as before once a sync has failed.
    func sync() throws(DiskError) {
        let result = failure.withLock { failure in
            Result { () throws(DiskError) in
                if let failure { throw failure }
                do throws(DiskError) {
                    try disk.syncDirectory(.events)
                } catch {
                    failure = error
                    throw error
                }
            }
        }
        try result.get()
    }
}
