import SkyrosDisk

/// The directory of the segments. It is synced by one thread at a time, and never again after a
/// failed sync (promise P10).
///
/// Two threads add names to it: the writer of a full segment's successor, and the sealer. If the
/// sync of one fails, the name of the other may be lost too, and a later sync would succeed without
/// proving anything.
final class SegmentDirectory: Sendable {
    let disk: any Disk
    private let failure = Locked<DiskError?>(nil)

    init(on disk: any Disk) {
        self.disk = disk
    }

    /// Makes the names of segments durable.
    ///
    /// - Throws: `DiskError`; after a failed sync, the error of that sync.
    func sync() throws(DiskError) {
        try failure.withLock { failure throws(DiskError) in
            if let failure { throw failure }
            do throws(DiskError) {
                try disk.syncDirectory(.events)
            } catch {
                if error.isFailedSync { failure = error }
                throw error
            }
        }
    }
}
