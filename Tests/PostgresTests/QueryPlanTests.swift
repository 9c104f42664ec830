#if Postgres
    import SkyrosDisk
    import SkyrosLog
    import Testing

    @testable import SkyrosPostgres

    @Suite(.serialized, .enabled(if: DatabaseServer.isInstalled))
    struct `A server with many frames` {
        @Test func `is asked without a scan of all of them`() throws {
            let database = try DatabaseServer()
            try database.start()
            let server = try PostgresServer(
                url: database.url(), schema: "skyros", allowsWeakDurability: true)
            try server.connect()
            try server.create(StoreID(from: SystemEntropy()))
            #expect(try server.state().sealedThrough == 0)
            try database.query(
                "INSERT INTO skyros.frame SELECT n * 10 + 1, n * 10 + 10, 0, 0, '' "
                    + "FROM generate_series(0, 999) AS n")
            try database.query("INSERT INTO skyros.event VALUES (10000, 0, '', 0)")
            try database.query("ANALYZE skyros.frame")
            #expect(try server.state().sealedThrough == 10_000)
            for (sequence, first) in [(1, 1), (10, 1), (11, 11), (10_000, 9_991)] {
                let frame = try server.frame(containing: UInt64(sequence))
                #expect(frame?.sequences.lowerBound == UInt64(first))
            }
            #expect(try server.frame(containing: 10_001) == nil)
            let schema = server.schema
            for statement in [schema.state, schema.frame, schema.seal] {
                var sql = statement
                for (name, value) in [
                    ("$1", "10001"), ("$2", "10010"), ("$3", "0"), ("$4", "0"), ("$5", "''"),
                ] {
                    sql = sql.split(separator: name, omittingEmptySubsequences: false)
                        .joined(separator: value)
                }
                let plan = try database.query("EXPLAIN \(sql)")
                #expect(plan.contains("on frame") && !plan.contains("Seq Scan on frame"), "\(plan)")
            }
        }
    }
#endif
