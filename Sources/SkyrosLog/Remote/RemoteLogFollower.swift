import SkyrosDisk

/// A log on a server that another node writes, as it was at the last `refresh`: read from local
/// files, which are a copy.
package final class RemoteLogFollower: ObservedLog {
    private let server: any LogServer
    private let local: FileLog
    private let time: @Sendable (UnsafeRawBufferPointer) -> Int64
    /// The server is used by one thread at a time.
    private let refreshing = Locked(())

    /// Follows a server with the batches in `local`, which no other thread appends to.
    ///
    /// - Parameter time: the time of a batch, in microseconds since 1970.
    package init(
        _ server: any LogServer, _ local: FileLog,
        time: @escaping @Sendable (UnsafeRawBufferPointer) -> Int64
    ) {
        self.server = server
        self.local = local
        self.time = time
    }

    package var storeID: StoreID { local.storeID }
    package var beginning: ChainHash { local.beginning }
    package var floor: LogFloor? { local.floor }
    package var head: LogHead { local.head }
    package var statistics: LogStatistics? { local.statistics }
    package var borders: [LogBorder] { local.borders }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        try local.chunk(containing: sequence)
    }

    /// - Throws: `LogError` with `.otherHistory` if the server does not have what was read before,
    ///   `.unavailable` if it cannot be reached.
    package func refresh() throws(LogError) -> Bool {
        try refreshing.withLock { _ throws(LogError) in
            let before = head
            do throws(ServerError) {
                switch try local.catchUp(with: server, time: time) {
                case .complete: return head != before
                case .belowFloor:
                    throw .refused(
                        LogError(
                            .belowFloor, "the server does not keep event \(before.sequence + 1)"))
                case .historyReplaced(let last):
                    throw .refused(
                        LogError(
                            .otherHistory,
                            "the server has other events than were read before, after \(last)",
                            sequences: last < before.sequence ? last + 1...before.sequence : nil))
                }
            } catch {
                throw LogError(error)
            }
        }
    }
}

extension LogError {
    /// The error of a read, which changes nothing on a server.
    package init(_ error: ServerError) {
        switch error {
        case .refused(let refusal): self = refusal
        case .conflict: self.init(.conflict, "the log has changed meanwhile")
        case .unavailable(let why), .unknown(let why):
            self.init(.unavailable, "the server cannot be reached: \(why)")
        }
    }
}
