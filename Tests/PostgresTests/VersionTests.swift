#if Postgres
    import SkyrosLog
    import Testing

    @testable import SkyrosPostgres

    @Suite struct `The version of a PostgreSQL server` {
        @Test(arguments: [150_013, 150_018, 130_021, 140_018, 160_009, 170_005, 180_000, 190_001])
        func `is one whose commits always wait for a standby`(version: Int) throws {
            try PostgresConnection.requireVersion(version)
        }

        @Test func `has the settings that the session is given`() {
            let all = PostgresConnection.settings(of: 140_018).map(\.name)
            let older = PostgresConnection.settings(of: 130_021).map(\.name)
            #expect(all.filter { !older.contains($0) } == ["idle_session_timeout"])
        }

        @Test(arguments: [
            (150_012, "15.13"), (130_020, "13.21"), (170_004, "17.5"), (120_022, "13.21"),
        ])
        func `is refused if they may not`(version: Int, needed: String) throws {
            do throws(PostgresError) {
                try PostgresConnection.requireVersion(version)
                Issue.record("it was accepted")
            } catch {
                #expect(error.message.contains("use \(needed) or later"))
                guard case .refused(let refusal) = error.ofConnecting else { throw error }
                #expect(refusal.code == .insecureDurability)
            }
        }
    }
#endif
