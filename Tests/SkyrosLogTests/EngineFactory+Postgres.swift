import SkyrosDisk
import SkyrosLog
import SkyrosPostgres
import SkyrosTesting
import TestSupport
import Testing

extension EngineFactory {
    /// The log in a new schema of a PostgreSQL server; nil if there is none.
    static func database() -> EngineFactory? {
        #if Postgres
            guard let url = SharedStore.url else { return nil }
            let log = DatabaseLog(
                url: url, schema: "t" + String(SystemEntropy().next(), radix: 36))
            return EngineFactory(
                testDescription: "PostgreSQL", engine: log.open, reopened: log.open,
                observer: log.follow)
        #else
            return nil
        #endif
    }
}

#if Postgres
    private struct DatabaseLog {
        let url: String
        let schema: String
        /// The one that has the turn to write.
        let writer = Locked<PostgresServer?>(nil)

        /// Connects, and copies the log.
        private func connect() throws -> (PostgresServer, FileLog) {
            let server = try PostgresServer(url: url, schema: schema, allowsWeakDurability: true)
            try server.connect()
            try server.create(LogFixture().storeID)
            let copy = try EngineFactory.fixture.make(on: SimulatedDisk())
            #expect(try copy.catchUp(with: server, time: { _ in 0 }) == .complete)
            return (server, copy)
        }

        @Sendable func open() throws -> any LogEngine {
            // The process before it has ended.
            writer.withLock { $0 }?.disconnect()
            let (server, copy) = try connect()
            writer.withLock { $0 = server }
            let log = RemoteLog(server, copy, EngineFactory.nodeOptions)
            // The server notices soon.
            while try !log.takeTurn() { _ = try server.waitForNews(atMost: 20) }
            return log
        }

        @Sendable func follow() throws -> any ObservedLog {
            let (server, copy) = try connect()
            return RemoteLogFollower(server, copy, time: { _ in 0 })
        }
    }
#endif
