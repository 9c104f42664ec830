public import Foundation
import SkyrosDisk
import SkyrosLog

/// What copying a log to a server, or from one, has done.
public struct ServerCopyReport: Hashable, Sendable {
    /// The last event of both.
    public let sequence: SequenceNumber
    /// The events that were copied: the others were there.
    public let copiedEvents: Int
    /// The digest of the records of both, made of the events of each.
    public let digest: StateDigest
}

extension Archive {
    /// Copies the log to a server, or brings a copy there up to date, and compares both.
    ///
    ///     let report = try Archive(at: folder).copy(to: .postgres(url, cache: cache))
    ///
    /// The server's log has the id of the store: it is the same store. Write to one of the two
    /// only. Positions of subscriptions are copied, too, unless the app keeps them elsewhere.
    /// An interruption leaves a first part on the server, which the next copy continues.
    ///
    /// Everything is read back from the server, and folded; it must lead to the same chain hash and
    /// the same digest. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - place: the server; nothing is written to its cache.
    ///   - progress: called from time to time: the events that were copied, and those that were
    ///     compared.
    /// - Throws: `StoreError` with `.foreignStore` if the server has the log of another store,
    ///   `.historyChanged` if it has other or later events, `.belowFloor` if history was pruned,
    ///   `.alreadyOpen` if a node writes there, `.serverUnavailable`, `.insecureDurability`;
    ///   `.logCorrupt` and the like if the log is damaged.
    /// - Complexity: O(events).
    public func copy(
        to place: StorePlace, progress: (StoreProgress) -> Void = { _ in }
    ) throws -> ServerCopyReport {
        let total = Int(clamping: sequence.rawValue)
        let server = try StoreError.wrap(try place.node.makeServer())
        defer { server.disconnect() }
        var options = place.node.log
        options.node = place.node.name
        var upload = try StoreError.wrap(try LogUpload(of: log, to: server, options))
        let copied = try StoreError.wrap(
            try upload.run { progress(StoreProgress(.sending, Int(clamping: $0), of: total)) })
        do throws(ServerError) {
            for (name, position) in try positionsToCopy() { try server.save(position, of: name) }
        } catch {
            throw StoreError(LogError(error))
        }
        return try compared(
            with: server, copiedEvents: Int(clamping: copied), progress)
    }

    private func positionsToCopy() throws(ServerError) -> [String: RemotePosition] {
        // A damaged one is left out, as it is by a backup.
        let kept = (try? PositionFiles(on: disk).all()) ?? [:]
        return kept.compactMapValues { position in
            HexText.number(position.chainHash).map { chainHash in
                RemotePosition(
                    head: LogHead(
                        sequence: position.sequence.rawValue,
                        chainHash: ChainHash(rawValue: chainHash)),
                    keepsHistory: position.keepsHistory)
            }
        }
    }

    /// Folds what the server has, and compares it with this log.
    private func compared(
        with server: any LogServer, copiedEvents: Int, _ progress: (StoreProgress) -> Void
    ) throws -> ServerCopyReport {
        let reader: ServerReader
        do throws(ServerError) {
            reader = try ServerReader(server, framing: EventCoding.byteCount(of:))
        } catch {
            throw StoreError(LogError(error))
        }
        let last = min(sequence.rawValue, reader.head.sequence)
        let total = Int(clamping: last)
        let end = Moment.sequence(SequenceNumber(rawValue: last))
        let there = try HistoryReader(log: reader, empty: empty).snapshot(asOf: end) {
            progress(StoreProgress(.checking, Int(clamping: $0.rawValue), of: total))
        }
        let here = try nearestSnapshot(asOf: end)
        let digest = try here.digest()
        guard there.chainHash == here.chainHash, try there.digest() == digest else {
            throw StoreError(
                .historyChanged, "the server has other events than the log; make another copy")
        }
        return ServerCopyReport(
            sequence: here.sequence, copiedEvents: copiedEvents, digest: digest)
    }

    /// Copies the log of a server to a directory, or brings a copy there up to date, and compares
    /// both: afterwards the directory is an ordinary store with the same id.
    ///
    ///     try Archive.copy(from: .postgres(url, cache: cache), to: folder)
    ///
    /// - Throws: `StoreError` with `.foreignStore` if the directory has another store,
    ///   `.historyChanged` if it has other or later events; as ``copy(to:progress:)``.
    public static func copy(
        from place: StorePlace, to directory: URL,
        progress: (StoreProgress) -> Void = { _ in }
    ) throws -> ServerCopyReport {
        let server = try StoreError.wrap(try place.node.makeServer())
        defer { server.disconnect() }
        let disk = try StoreDirectory.disk(at: directory, creating: true)
        let before: SequenceNumber
        do {
            let lock = try StoreError.wrap(try disk.lock())
            defer { lock.release() }
            before = try StoreError.wrap(try fill(disk, from: server, progress))
        }
        let archive = try Archive(on: Environment(disk: disk))
        return try archive.compared(
            with: server, copiedEvents: before.distance(to: archive.sequence), progress)
    }

    /// Returns the last event that the directory had before.
    private static func fill(
        _ disk: any Disk, from server: any LogServer, _ progress: (StoreProgress) -> Void
    ) throws -> SequenceNumber {
        let state: ServerState
        let positions: [String: RemotePosition]
        do throws(ServerError) {
            try server.connect()
            guard try server.exists() else {
                throw .refused(LogError(.noLog, "there is no store on the server"))
            }
            state = try server.state()
            positions = try server.positions()
        } catch {
            throw StoreError(LogError(error))
        }
        let cache = ServerCache(disk: disk, options: LogOptions(), entropy: SystemEntropy())
        let before = try cache.fill(state, from: server) { sequence in
            progress(
                StoreProgress(
                    .sending, Int(clamping: sequence), of: Int(clamping: state.head.sequence)))
        }
        let files = PositionFiles(on: disk)
        for (name, position) in positions {
            try files.save(SubscriptionPosition(position), of: name)
        }
        return before
    }
}
