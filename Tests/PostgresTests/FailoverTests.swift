#if Postgres
    import Foundation
    import SkyrosDisk
    import SkyrosLog
    import SkyrosPostgres
    import SkyrosTesting
    import Testing

    @Suite(.serialized, .enabled(if: DatabaseServer.isInstalled))
    struct `A log on three PostgreSQL servers` {
        private static let storeID = StoreID([UInt8](0..<16)) ?? StoreID(from: SystemEntropy())

        /// Appends until it has to stop; returns what was acknowledged, by sequence.
        private static func write(
            _ log: RemoteLog, until isOver: Locked<Bool>, _ progress: Monitor<Int>
        ) throws -> [UInt64: [UInt8]] {
            var acknowledged: [UInt64: [UInt8]] = [:]
            var number: UInt64 = 0
            while !isOver.withLock({ $0 }) {
                var sent: [(UInt64, [UInt8])] = []
                for _ in 0...number % 3 {
                    number += 1
                    let batch: [UInt8] = [9] + withUnsafeBytes(of: number) { Array($0) }
                    let sequence = log.end.head.sequence + 1
                    _ = try batch.withUnsafeBytes {
                        try log.append($0, as: sequence, timeBefore: 0, deferring: true)
                    }
                    sent.append((sequence, batch))
                }
                try log.flush()
                for (sequence, batch) in sent { acknowledged[sequence] = batch }
                progress.change { $0 = acknowledged.count }
            }
            return acknowledged
        }

        @Test func `loses nothing that it has acknowledged when primaries are killed`() throws {
            let cluster = try DatabaseCluster()
            let server = try PostgresServer(url: cluster.url(), schema: "orders")
            try server.connect()
            try server.create(Self.storeID)
            var options = LogOptions()
            options.segmentBytesMax = 1 << 20
            let local = try FileLog.make(
                for: Self.storeID, on: SimulatedDisk(), options, entropy: SystemEntropy(),
                framing: { Int($0[0]) })
            let log = RemoteLog(server, local, RemoteLogOptions())
            #expect(try log.takeTurn())
            let (isOver, progress) = (Locked(false), Monitor(0))
            let result = Locked<Result<[UInt64: [UInt8]], any Error>?>(nil)
            let thread = Thread {
                let written = Result { try Self.write(log, until: isOver, progress) }
                result.withLock { $0 = written }
                progress.change { $0 = .max }
            }
            thread.start()
            for _ in 0..<3 {
                let before = progress.withLock { $0 }
                progress.wait { $0 > before + 20 || $0 == .max ? () : nil }
                try cluster.failOver()
            }
            let before = progress.withLock { $0 }
            progress.wait { $0 > before + 20 || $0 == .max ? () : nil }
            isOver.withLock { $0 = true }
            progress.wait { $0 == .max ? () : nil }
            let acknowledged = try #require(result.withLock { $0 }).get()
            let reader = try PostgresServer(url: cluster.url(), schema: "orders")
            try reader.connect()
            let final = try reader.batches(from: 1, byteCountMax: .max)
            print("acknowledged", acknowledged.count, "final", final.count)
            #expect(final.map(\.sequence) == Array(1...UInt64(final.count)))
            #expect(Set(final.map(\.bytes)).count == final.count)
            for batch in final.prefix(acknowledged.count) {
                #expect(acknowledged[batch.sequence] == batch.bytes)
            }
            #expect(acknowledged.count == final.count)
        }

        @Test func `says what a commit fails with, and can be used afterwards`() throws {
            let cluster = try DatabaseCluster()
            let server = try PostgresServer(url: cluster.url(), schema: "orders")
            try server.connect()
            try server.create(Self.storeID)
            try cluster.primary.query(
                """
                CREATE FUNCTION orders.refuse() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
                CREATE CONSTRAINT TRIGGER refusal AFTER INSERT ON orders.event
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION orders.refuse()
                """)
            let head = LogHead(sequence: 0, chainHash: ChainHash(beginning: Self.storeID))
            let batch = RemoteBatch(
                sequence: 1, chainHash: head.chainHash.advanced(by: 1), bytes: [9])
            for _ in 0..<2 {
                let error = #expect(throws: ServerError.self) {
                    try server.append([batch], after: head, origin: 1)
                }
                guard case .refused(let refusal) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(refusal.message.contains("not today"))
                #expect(try server.state().head == head)
            }
            try cluster.primary.query("DROP TRIGGER refusal ON orders.event")
            try server.append([batch], after: head, origin: 1)
            #expect(try server.state().head == batch.head)
        }

        @Test func `trusts no commit after which their settings are weaker`() throws {
            let cluster = try DatabaseCluster()
            let server = try PostgresServer(url: cluster.url(), schema: "orders")
            try server.connect()
            try server.create(Self.storeID)
            var head = LogHead(sequence: 0, chainHash: ChainHash(beginning: Self.storeID))
            func append() throws(ServerError) {
                let batch = RemoteBatch(
                    sequence: head.sequence + 1, chainHash: head.chainHash.advanced(by: 1),
                    bytes: [9])
                try server.append([batch], after: head, origin: 1)
                head = batch.head
            }
            try append()
            try cluster.primary.query("ALTER SYSTEM SET fsync = off")
            try cluster.primary.query("SELECT pg_reload_conf()")
            // The process of the connection learns it soon.
            let error = #expect(throws: ServerError.self) {
                for _ in 0..<10_000 { try append() }
            }
            #expect(error == .unknown("fsync is off"))
            #expect(try server.state().head.sequence == head.sequence + 1)
            let refusal = #expect(throws: ServerError.self) { try server.connect() }
            guard case .refused(let why) = refusal else { throw CocoaError(.featureUnsupported) }
            #expect(why.code == .insecureDurability)
        }
    }
#endif
