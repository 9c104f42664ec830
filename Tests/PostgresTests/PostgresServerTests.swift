#if Postgres
    import Foundation
    import SkyrosDisk
    import SkyrosLog
    import SkyrosPostgres
    import Testing

    @Suite(.serialized, .enabled(if: DatabaseServer.isInstalled))
    struct `A log on a PostgreSQL server` {
        private static let storeID = StoreID([UInt8](0..<16)) ?? StoreID(from: Zeros())
        private let database: DatabaseServer

        init() throws {
            database = try DatabaseServer()
            try database.start()
        }

        private func connect(_ schema: String) throws -> PostgresServer {
            let server = try PostgresServer(
                url: database.url(), schema: schema, allowsWeakDurability: true)
            try server.connect()
            try server.create(Self.storeID)
            return server
        }

        private func batches(_ count: Int, after head: LogHead) -> [RemoteBatch] {
            var head = head
            return (0..<count).map { index in
                let bytes = [UInt8](repeating: UInt8(index & 255), count: 300)
                let hash = bytes.withUnsafeBytes { XXH64.hash($0) }
                head = LogHead(
                    sequence: head.sequence + 1, chainHash: head.chainHash.advanced(by: hash))
                return RemoteBatch(sequence: head.sequence, chainHash: head.chainHash, bytes: bytes)
            }
        }

        @Test func `appends and reads`() throws {
            let server = try connect("orders \"x\"")
            var state = try server.state()
            #expect(state.head.sequence == 0 && state.storeID == Self.storeID)
            let first = batches(5, after: state.head)
            try server.append(first, after: state.head, origin: 1)
            #expect(throws: ServerError.conflict) {
                try server.append(first, after: state.head, origin: 1)
            }
            state = try server.state()
            #expect(state.head == first.last?.head)
            #expect(try server.batches(from: 1, byteCountMax: 1 << 20) == first)
            #expect(try server.batches(from: 3, byteCountMax: 700).map(\.sequence) == [3, 4])
            #expect(try server.chainHash(through: 3) == first[2].chainHash)
            let origin = BatchOrigin(chainHash: first[2].chainHash, number: 1)
            #expect(try server.origin(of: 3) == origin)
            #expect(try server.origin(of: 6) == nil)
            let other = LogHead(sequence: 5, chainHash: first[3].chainHash)
            #expect(throws: ServerError.conflict) {
                try server.append(batches(1, after: other), after: other, origin: 1)
            }
            try server.waitForQuorum()
            // Another node.
            let second = try connect("orders \"x\"")
            #expect(try second.state() == state)
        }

        @Test func `gives the turn to write to one connection, and says whose it is`() throws {
            let (first, second) = (try connect("turns"), try connect("turns"))
            #expect(try first.turn() == nil)
            #expect(try first.takeTurn(as: "node one").isOwn)
            #expect(try first.takeTurn(as: "node one").isOwn)
            let turn = try second.takeTurn(as: "node two")
            #expect(turn.node == "node one" && !turn.isOwn)
            #expect(try second.turn() == turn)
            #expect(try first.turn()?.connection == turn.connection)
            // That of another store is another one.
            #expect(try connect("others").takeTurn(as: "node three").isOwn)
            first.disconnect()
            // The server notices soon.
            while try !second.takeTurn(as: "node two").isOwn {
                _ = try second.waitForNews(atMost: 20)
            }
            #expect(try second.turn()?.node == "node two")
        }

        @Test func `tells other connections that there is something new`() throws {
            let (first, second) = (try connect("news"), try connect("news"))
            // The first call returns immediately: what was appended before is not told.
            #expect(try second.waitForNews(atMost: 60_000) == nil)
            var head = try first.state().head
            for _ in 0..<2 {
                let more = batches(2, after: head)
                try first.append(more, after: head, origin: 1)
                head = more[1].head
                try first.announce(head)
            }
            var news: LogHead?
            while news != head { news = try second.waitForNews(atMost: 60_000) }
            #expect(try second.state().head == head)
            try first.announce(LogHead(sequence: 1, chainHash: head.chainHash))
            while news?.sequence != 1 { news = try second.waitForNews(atMost: 60_000) }
            // One that writes gets no news, until it waits for them again.
            try announce(head, by: first)
            second.wake()
            try second.wait(atMost: 100_000_000)
            try announce(head, by: first)
            #expect(try second.waitForNews(atMost: 60_000) == nil)
            #expect(try second.waitForNews(atMost: 0) == nil)
            try first.announce(head)
            news = nil
            while news != head { news = try second.waitForNews(atMost: 60_000) }
        }

        /// Returns when the server has announced it.
        private func announce(_ head: LogHead, by server: PostgresServer) throws {
            try server.announce(head)
            _ = try server.state()
        }

        /// As an administrator who does not want to wait for a standby.
        @Test func `does not take a commit for acknowledged that was not replicated`() throws {
            let server = try connect("cancelled")
            let warning = try cancelling { () throws(ServerError) in
                let head = try server.state().head
                try server.append(batches(1, after: head), after: head, origin: 7)
            }
            #expect(warning.contains("canceling wait for synchronous replication"))
            // It is there all the same.
            let head = try server.state().head
            #expect(try server.origin(of: head.sequence)?.number == 7)
        }

        /// Cancels each wait for a standby, of which none runs, until one is reported; returns why.
        private func cancelling(_ commit: () throws(ServerError) -> Void) throws -> String {
            try database.query("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (n9)'")
            try database.query("SELECT pg_reload_conf()")
            let isOver = Locked(false)
            let port = database.port
            let cancelling = Thread {
                while !isOver.withLock({ $0 }) {
                    _ = try? DatabaseServer.query(
                        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
                            + "WHERE wait_event = 'SyncRep'", on: port)
                }
            }
            cancelling.start()
            defer { isOver.withLock { $0 = true } }
            // The server takes the setting soon.
            while true {
                do throws(ServerError) {
                    try commit()
                } catch {
                    guard case .unknown(let warning) = error else { throw error }
                    return warning
                }
            }
        }

        @Test func `says that no standby has confirmed a new log`() throws {
            var count = 0
            let why = try cancelling { () throws(ServerError) in
                count += 1
                let server: PostgresServer
                do throws(LogError) {
                    server = try PostgresServer(
                        url: database.url(), schema: "new\(count)", allowsWeakDurability: true)
                } catch {
                    throw .refused(error)
                }
                try server.connect()
                try server.create(Self.storeID)
            }
            #expect(why.contains("synchronous_standby_names"), "\(why)")
            #expect(why.contains("canceling wait for synchronous replication"), "\(why)")
        }

        @Test func `is made once by nodes that have all found none`() throws {
            let servers = try (0..<8).map { _ in
                let server = try PostgresServer(
                    url: database.url(), schema: "Shop", allowsWeakDurability: true)
                try server.connect()
                #expect(try !server.exists())
                return server
            }
            let errors = Locked<[String]>([])
            DispatchQueue.concurrentPerform(iterations: servers.count) { index in
                do {
                    try servers[index].create(StoreID(from: SystemEntropy()))
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
            }
            #expect(errors.withLock { $0 }.isEmpty)
            #expect(try Set(servers.map { try $0.state().storeID }).count == 1)
        }

        @Test func `refuses a server without a quorum`() throws {
            let server = try PostgresServer(url: database.url(), schema: "weak")
            do throws(ServerError) {
                try server.connect()
                Issue.record("it was accepted")
            } catch {
                guard case .refused(let refusal) = error else { throw error }
                #expect(refusal.code == .insecureDurability)
                #expect(refusal.message.contains("synchronous_standby_names"))
            }
        }

        @Test func `keeps compressed batches in the place of the same ones`() throws {
            let server = try connect("frames")
            let start = LogHead(sequence: 0, chainHash: ChainHash(beginning: Self.storeID))
            let all = batches(10, after: start)
            try server.append(all, after: start, origin: 1)
            func frame(_ range: ClosedRange<UInt64>, _ after: ChainHash) -> RemoteFrame {
                RemoteFrame(
                    range, chainHashBefore: start.chainHash, chainHashAfter: after, zstd: [1, 2])
            }
            // The first one begins with the first batch.
            #expect(throws: ServerError.conflict) {
                try server.seal(frame(3...4, all[3].chainHash))
            }
            try server.seal(frame(1...4, all[3].chainHash))
            #expect(try server.frame(containing: 3)?.sequences == 1...4)
            #expect(try server.frame(containing: 5) == nil)
            #expect(
                try server.batches(from: 1, byteCountMax: .max).map(\.sequence) == Array(5...10))
            #expect(try server.state().sealedThrough == 4)
            #expect(try server.state().firstSequence == 1)
            // Not after a gap, not twice, not those of another history.
            let wrong: [(ClosedRange<UInt64>, RemoteBatch)] = [
                (6...7, all[6]), (1...4, all[3]), (5...7, all[7]),
            ]
            for (range, last) in wrong {
                #expect(throws: ServerError.conflict) {
                    try server.seal(frame(range, last.chainHash))
                }
            }
            // The last row stays.
            try server.seal(frame(5...10, all[9].chainHash))
            #expect(try server.batches(from: 1, byteCountMax: .max).map(\.sequence) == [10])
            #expect(try server.state().head == all[9].head)
            try server.append(batches(1, after: all[9].head), after: all[9].head, origin: 1)
            // A log whose last rows are gone does not begin again, and is not a shorter one.
            try database.query("DELETE FROM frames.event")
            let error = #expect(throws: ServerError.self) { try server.state() }
            guard case .refused(let refusal) = error else { throw CocoaError(.featureUnsupported) }
            #expect(refusal.code == .corrupt)
            #expect(throws: ServerError.conflict) {
                try server.append(batches(1, after: start), after: start, origin: 1)
            }
        }

        @Test func `keeps positions, and tells the time`() throws {
            let server = try connect("positions")
            #expect(try server.positions().isEmpty)
            let head = LogHead(sequence: 7, chainHash: ChainHash(rawValue: .max))
            let position = RemotePosition(head: head, keepsHistory: true)
            try server.save(position, of: "mail")
            try server.save(RemotePosition(head: head, keepsHistory: false), of: "labels")
            #expect(try server.positions()["mail"] == position)
            #expect(try server.positions()["labels"]?.keepsHistory == false)
            try server.save(nil, of: "labels")
            #expect(try server.positions().count == 1)
            try database.query(
                "ALTER TABLE positions.subscription DROP CONSTRAINT subscription_sequence_check; "
                    + "UPDATE positions.subscription SET sequence = -1")
            let error = #expect(throws: ServerError.self) { try server.positions() }
            guard case .refused(let refusal) = error else { throw CocoaError(.featureUnsupported) }
            #expect(refusal.code == .corrupt)
            let time = try #require(try server.time())
            #expect(abs(time - SystemClock().nowMicroseconds()) < 60_000_000)
        }

        @Test func `says nothing of passwords`() throws {
            let url = "postgresql://eve:se%63ret@127.0.0.1:1/x?connect_timeout=2"
            let server = try PostgresServer(url: url, schema: "x")
            do {
                try server.connect()
            } catch {
                #expect(!"\(error)".contains("secret") && "\(error)".contains("127.0.0.1"))
            }
            for url in [
                "postgresql://a:secret@[", "mysql://a:secret@b/c", "postgresql://a:secret@b/c?x=1",
                // libpq takes a part of these passwords for a host or a port.
                "postgresql://a:x@secret@b/c", "postgresql://a:secret/x@b/c",
            ] {
                do {
                    _ = try PostgresServer(url: url, schema: "x")
                    Issue.record("\(url) was accepted")
                } catch {
                    #expect(!"\(error)".contains("secret"))
                }
            }
        }
    }

    private struct Zeros: Entropy {
        func next() -> UInt64 { 0 }
    }
#endif
