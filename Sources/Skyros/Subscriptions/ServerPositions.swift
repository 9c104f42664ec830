import SkyrosDisk
import SkyrosLog

/// Keeps the positions of subscriptions on the server of the log, by a separate connection: the
/// node that writes handles their events, and the next one continues.
final class ServerPositions: SubscriptionPositions {
    private let makeServer: @Sendable () throws -> any LogServer
    private let server = Locked<(any LogServer)?>(nil)

    init(_ makeServer: @escaping @Sendable () throws -> any LogServer) {
        self.makeServer = makeServer
    }

    deinit {
        server.withLock { $0?.disconnect() }
    }

    func position(of name: String) throws -> SubscriptionPosition? { try all()[name] }

    func all() throws -> [String: SubscriptionPosition] {
        try use { server throws(ServerError) in
            try server.positions().mapValues { SubscriptionPosition($0) }
        }
    }

    func save(_ position: SubscriptionPosition, of name: String) throws {
        guard let chainHash = HexText.number(position.chainHash) else {
            throw StoreError(.invalidInput, "\"\(position.chainHash)\" is no chain hash")
        }
        let remote = RemotePosition(
            head: LogHead(
                sequence: position.sequence.rawValue, chainHash: ChainHash(rawValue: chainHash)),
            keepsHistory: position.keepsHistory)
        try use { server throws(ServerError) in try server.save(remote, of: name) }
    }

    func remove(_ name: String) throws {
        try use { server throws(ServerError) in try server.save(nil, of: name) }
    }

    /// Runs `body` with a connection; once again with a new one if it was lost. All that it does
    /// may be done twice.
    private func use<R>(_ body: (any LogServer) throws(ServerError) -> R) throws -> R {
        try server.withLock { server in
            do throws(ServerError) {
                if let server { return try body(server) }
            } catch {
                if case .refused = error { throw StoreError(LogError(error)) }
            }
            let next = try StoreError.wrap(try makeServer())
            do throws(ServerError) {
                try next.connect()
                let result = try body(next)
                server = next
                return result
            } catch {
                next.disconnect()
                server = nil
                throw StoreError(LogError(error))
            }
        }
    }
}

extension SubscriptionPosition {
    init(_ remote: RemotePosition) {
        self.init(
            sequence: SequenceNumber(rawValue: remote.head.sequence),
            chainHash: remote.head.chainHash.description, keepsHistory: remote.keepsHistory)
    }
}
