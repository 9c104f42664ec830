package import SkyrosDisk

/// A follower that reads around damage: batches that it cannot read, but a damage scan can, come
/// from there.
///
/// So a damaged seek table hides no batch that is whole. The log is scanned when that is needed
/// for the first time.
package final class TolerantFollower: ObservedLog {
    private let follower: LogFollower
    private let disk: any Disk
    private let options: LogOptions
    private let framing: PayloadFraming
    private let scan = Locked<DamageScan?>(nil)

    /// Opens the log on `disk`.
    ///
    /// - Throws: `LogError`, as a `LogFollower` does.
    package init(
        on disk: any Disk, _ options: LogOptions, framing: @escaping PayloadFraming
    ) throws(LogError) {
        follower = try LogFollower(on: disk, options, framing: framing)
        self.disk = disk
        self.options = options
        self.framing = framing
    }

    package var head: LogHead { follower.head }
    package var storeID: StoreID { follower.storeID }
    package var beginning: ChainHash { follower.beginning }
    package var floor: LogFloor? { follower.floor }
    package var statedTimes: [StatedTime] { follower.statedTimes }
    package var statistics: LogStatistics? { follower.statistics }

    package func refresh() throws(LogError) -> Bool { try follower.refresh() }

    /// - Throws: `LogError` if the batch is in the first damage, or after it.
    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        do throws(LogError) {
            return try follower.chunk(containing: sequence)
        } catch {
            guard error.isDamage, let scan = try? scanned(), sequence <= scan.head.sequence else {
                throw error
            }
            return try scan.chunk(containing: sequence)
        }
    }

    private func scanned() throws(LogError) -> DamageScan {
        if let scan = scan.withLock({ $0 }) { return scan }
        let made = try DamageScan(of: disk, options, framing: framing)
        scan.withLock { $0 = made }
        return made
    }
}
