#if Postgres
    import Foundation

    /// Three PostgreSQL servers of a test: a primary, and two standbys of which one must have a
    /// commit before it is acknowledged.
    final class DatabaseCluster {
        private(set) var primary: DatabaseServer
        private(set) var standbys: [DatabaseServer]
        /// The ports of all servers: they stay.
        let ports: [Int]

        private static let quorum = "synchronous_standby_names = 'ANY 1 (n1, n2, n3)'"

        init() throws {
            let ports = try (0..<3).map { _ in try DatabaseServer.freePort() }
            self.ports = ports
            primary = try DatabaseServer(name: "n1", port: ports[0], settings: [Self.quorum])
            try primary.start()
            let primary = primary
            standbys = try [1, 2].map { index in
                let standby = try DatabaseServer(
                    of: primary, name: "n\(index + 1)", port: ports[index])
                try standby.start()
                return standby
            }
        }

        func url(_ database: String = "postgres") -> String {
            let hosts = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
            return "postgresql://skyros@\(hosts)/\(database)"
        }

        /// Kills the primary, promotes the standby that has most, and makes the former one a
        /// standby.
        func failOver() throws {
            primary.kill()
            let extents = try standbys.map { standby in
                let text = try standby.query("SELECT pg_last_wal_receive_lsn() - '0/0'::pg_lsn")
                return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            }
            let best = extents[0] >= extents[1] ? 0 : 1
            let (former, promoted, other) = (primary, standbys[best], standbys[1 - best])
            try promoted.promote()
            primary = promoted
            try other.follow(promoted)
            let rebuilt = try DatabaseServer(of: promoted, name: former.name, port: former.port)
            try rebuilt.start()
            standbys = [other, rebuilt]
        }
    }

    extension DatabaseServer {
        /// Makes a standby follow another primary.
        func follow(_ primary: DatabaseServer) throws {
            try query("ALTER SYSTEM SET primary_conninfo = '\(primary.connection(as: name))'")
            try query("SELECT pg_reload_conf()")
        }
    }
#endif
