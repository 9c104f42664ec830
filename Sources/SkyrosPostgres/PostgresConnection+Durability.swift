#if Postgres
    import CPQ
    import SkyrosLog

    extension PostgresConnection {
        private static let settings = [
            ("statement_timeout", "0"), ("lock_timeout", "0"), ("idle_session_timeout", "0"),
            ("idle_in_transaction_session_timeout", "0"),
            ("default_transaction_isolation", "read committed"), ("synchronous_commit", "on"),
            // A cancelled wait for a standby is a warning.
            ("client_min_messages", "warning"),
            // A node that is gone without a word loses its turn to write.
            ("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "2"),
            ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "15s"),
        ]

        /// What a server must have so that a commit that it acknowledges survives the loss of any
        /// machine, and a power cut of all.
        static let durability = """
            SELECT current_setting('fsync'), current_setting('full_page_writes'),
                current_setting('synchronous_commit'),
                current_setting('synchronous_standby_names')
            """

        /// Sets what the statements of this library rely on.
        func prepareSession() throws(PostgresError) {
            let settings = Self.settings(of: Int(PQserverVersion(handle)))
                .map { "set_config('\($0)', '\($1)', false)" }
            try run("SELECT " + settings.joined(separator: ", "))
        }

        /// - Parameter version: 150013 for 15.13.
        static func settings(of version: Int) -> [(name: String, value: String)] {
            // PostgreSQL 14 has brought one.
            settings.filter { version >= 140_000 || $0.0 != "idle_session_timeout" }
        }

        /// Throws unless a commit that the server acknowledges survives the loss of any machine,
        /// and a power cut of all.
        ///
        /// The settings may change while a commit waits, which then ends without a warning:
        /// `commit` asks after it, too.
        func requireQuorum() throws(PostgresError) {
            try Self.requireVersion(Int(PQserverVersion(handle)))
            try Self.requireQuorum(try run(Self.durability))
        }

        /// The first versions in which a commit waits for a standby also in the moments after the
        /// start of the server, by major version: before them it may not, until the checkpointer
        /// has read the settings.
        /// https://www.postgresql.org/message-id/Z_csIqEv6dhZ77jz@paquier.xyz
        private static let versions = [13: 21, 14: 18, 15: 13, 16: 9, 17: 5]

        /// - Parameter version: 150013 for 15.13.
        static func requireVersion(_ version: Int) throws(PostgresError) {
            let (major, minor) = (version / 10_000, version % 10_000)
            if major > 17 { return }
            guard let least = versions[major], minor >= least else {
                let newer = versions[major].map { "\(major).\($0)" } ?? "13.21"
                throw weak(
                    "PostgreSQL \(major).\(minor) may acknowledge a commit after its start that no "
                        + "other machine has; use \(newer) or later")
            }
        }

        static func requireQuorum(_ rows: PostgresRows) throws(PostgresError) {
            for (column, name) in ["fsync", "full_page_writes", "synchronous_commit"].enumerated() {
                let value = rows.text(0, column)
                guard value == "on" else { throw weak("\(name) is \(value)") }
            }
            guard !rows.text(0, 3).isEmpty else {
                throw weak("synchronous_standby_names is empty, so one machine has it all")
            }
        }

        private static func weak(_ why: String) -> PostgresError {
            PostgresError(state: nil, message: why, isConnected: true, isWeak: true)
        }
    }
#endif
