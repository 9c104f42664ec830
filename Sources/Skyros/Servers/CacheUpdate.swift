import SkyrosDisk
import SkyrosLog

/// Brings the copy of a server's log up to date, for a process that only reads it: a tool.
///
/// The files are locked while they are written. Another process that has them locked, such as a
/// node, brings them up to date itself.
package final class CacheUpdate: Sendable {
    private let server: any LogServer
    private let disk: any Disk
    /// The end of the server's log when it was copied last.
    private let copied = Locked<LogHead?>(nil)

    /// How often it looks whether another process has brought the copy up to date, and for how many
    /// milliseconds it waits before each look.
    private static let attemptsMax = 200
    private static let pauseMilliseconds = 50

    /// Connects, and brings the copy up to date.
    ///
    /// - Throws: `StoreError` with `.notAStore` if there is no store on the server, `.alreadyOpen`
    ///   if another process has the copy locked, and does not bring it up to date; as opening a
    ///   node.
    package init(_ place: StorePlace) throws {
        server = try StoreError.wrap(try place.node.makeServer())
        let state: ServerState
        do throws(ServerError) {
            try server.connect()
            guard try server.exists() else {
                throw .refused(LogError(.noLog, "there is no store on the server"))
            }
            try server.waitForQuorum()
            state = try server.state()
        } catch {
            server.disconnect()
            throw StoreError(LogError(error))
        }
        disk = try StoreDirectory.disk(at: place.cache, creating: true)
        for _ in 0..<Self.attemptsMax {
            if try update(state) || hasCopy(of: state) { return }
            Monitor.pause(milliseconds: Self.pauseMilliseconds)
        }
        // Who has the lock.
        try StoreError.wrap(try disk.lock()).release()
    }

    deinit {
        server.disconnect()
    }

    private func hasCopy(of state: ServerState) -> Bool {
        guard let archive = try? Archive(on: Environment(disk: disk)),
            archive.log.storeID == state.storeID
        else { return false }
        if state.head.sequence == 0 { return true }
        // A node may not know yet that the server has another history.
        let last = SequenceNumber(rawValue: state.head.sequence)
        return (try? EventReader(archive.log).check(through: last)) == state.head.chainHash
    }

    /// Returns false if another process has the files locked.
    private func update(_ state: ServerState) throws -> Bool {
        let lock: any DiskLock
        do {
            lock = try StoreError.wrap(try disk.lock())
        } catch {
            guard error.code == .alreadyOpen else { throw error }
            return false
        }
        defer { lock.release() }
        let cache = ServerCache(disk: disk, options: LogOptions(), entropy: SystemEntropy())
        _ = try StoreError.wrap(try cache.update(from: server, state))
        copied.withLock { $0 = state.head }
        return true
    }

    /// Waits until the server has more, or for some milliseconds, and copies it.
    ///
    /// - Throws: `StoreError` with `.serverUnavailable` if the connection was lost, after a pause
    ///   and an attempt to connect; the next call tries again.
    package func follow(atMost milliseconds: Int) throws {
        let state: ServerState
        do throws(ServerError) {
            _ = try server.waitForNews(atMost: milliseconds)
            state = try server.state()
        } catch {
            Monitor.pause(milliseconds: milliseconds)
            try connectAgain()
            throw StoreError(LogError(error))
        }
        guard copied.withLock({ $0 != state.head }) else { return }
        _ = try update(state)
    }

    private func connectAgain() throws {
        do throws(ServerError) {
            try server.connect()
        } catch {
            throw StoreError(LogError(error))
        }
    }
}
