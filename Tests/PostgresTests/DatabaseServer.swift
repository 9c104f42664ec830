#if Postgres
    import Foundation
    import SkyrosDisk

    /// A PostgreSQL server of a test: in a directory under /tmp, on a port of 127.0.0.1, as an
    /// unprivileged user. It ends with the test.
    final class DatabaseServer {
        let directory: URL
        let port: Int
        let name: String
        private var process: Process?

        static let programs = "/usr/lib/postgresql/15/bin"

        static var isInstalled: Bool {
            FileManager.default.isExecutableFile(atPath: programs + "/postgres")
        }

        /// The user that runs the servers, which refuse root; nil for that of this process.
        private static let user: String? = getuid() == 0 ? "postgres" : nil

        /// Makes a primary.
        init(name: String = "n1", port: Int? = nil, settings: [String] = []) throws {
            self.name = name
            directory = try Self.newDirectory()
            self.port = try port ?? Self.freePort()
            try Self.run(
                "initdb", "-D", data, "-U", "skyros", "-A", "trust", "-E", "UTF8", "--locale=C",
                "--data-checksums", "--no-sync")
            try configure(settings)
        }

        /// Makes a standby of a primary that runs.
        init(of primary: DatabaseServer, name: String, port: Int? = nil) throws {
            self.name = name
            directory = try Self.newDirectory()
            self.port = try port ?? Self.freePort()
            try Self.run(
                "pg_basebackup", "-D", data, "-d", primary.connection(as: name), "-R", "-X",
                "stream",
                "-c", "fast", "--no-sync")
            try configure([])
        }

        deinit {
            // An orderly end leaves no shared memory.
            end(by: SIGQUIT)
            // Only what this object has made.
            guard directory.path.hasPrefix("/tmp/skyros-pg-") else { return }
            try? FileManager.default.removeItem(at: directory)
        }

        var data: String { directory.appending(path: "data").path }

        func connection(as application: String, to database: String = "postgres") -> String {
            Self.connection(on: port, as: application, to: database)
        }

        private static func connection(
            on port: Int, as application: String, to database: String = "postgres"
        ) -> String {
            "host=127.0.0.1 port=\(port) user=skyros dbname=\(database) "
                + "application_name=\(application)"
        }

        func url(_ database: String = "postgres") -> String {
            "postgresql://skyros@127.0.0.1:\(port)/\(database)"
        }

        private func configure(_ settings: [String]) throws {
            let file = data + "/postgresql.auto.conf"
            let former = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            let all = [
                "port = \(port)", "listen_addresses = '127.0.0.1'",
                "unix_socket_directories = ''", "max_connections = 50", "shared_buffers = 16MB",
                "wal_level = replica", "max_wal_senders = 10", "hot_standby = on",
                "logging_collector = off", "wal_keep_size = 256MB",
            ]
            let text = former + (all + settings).joined(separator: "\n") + "\n"
            try text.write(toFile: file, atomically: false, encoding: .utf8)
            if let user = Self.user { try Self.shell("/bin/chown", user + ":", file) }
        }

        // MARK: Running

        func start() throws {
            let process = Process()
            let command = [Self.programs + "/postgres", "-D", data]
            let words = Self.asUser(command)
            process.executableURL = URL(filePath: words[0])
            process.arguments = Array(words.dropFirst())
            let log = directory.appending(path: "log").path
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            let output = FileHandle(forWritingAtPath: log)
            process.standardOutput = output
            process.standardError = output
            try process.run()
            self.process = process
            try Self.shell(
                Self.programs + "/pg_isready", "-q", "-h", "127.0.0.1", "-p", "\(port)", "-t", "10",
                attempts: 200)
        }

        /// Ends the server and all its processes without warning.
        func kill() { end(by: SIGKILL) }

        private func end(by signal: Int32) {
            guard let process, process.isRunning else { return }
            // The others end when the first one is gone.
            Foundation.kill(process.processIdentifier, signal)
            process.waitUntilExit()
            self.process = nil
        }

        /// Runs SQL as the administrator.
        @discardableResult
        func query(_ sql: String) throws -> String { try Self.query(sql, on: port) }

        /// Runs SQL as the administrator of the server on a port.
        @discardableResult
        static func query(_ sql: String, on port: Int) throws -> String {
            try shell(
                programs + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
                connection(on: port, as: "test"), "-c", sql)
        }

        /// Asks every client but the administrator for a password, soon.
        func requirePasswords() throws {
            let file = data + "/pg_hba.conf"
            try "host all skyros 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
                .write(toFile: file, atomically: false, encoding: .utf8)
            try query("SELECT pg_reload_conf()")
        }

        func promote() throws { try query("SELECT pg_promote(true, 30)") }

        // MARK: Backups

        /// Writes a schema to a file of SQL.
        func dump(_ schema: String, to file: String) throws {
            try Self.shell(
                Self.programs + "/pg_dump", "-d", connection(as: "test"), "-n", schema, "-f", file)
        }

        /// Makes a database of such a file.
        func load(_ file: String, as database: String) throws {
            try query("CREATE DATABASE \(database)")
            try Self.shell(
                Self.programs + "/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d",
                connection(as: "test", to: database), "-f", file)
        }

        /// The settings with which a server keeps what it has written, and where it does.
        static func archiving(in archive: String) -> [String] {
            [
                "archive_mode = on",
                "archive_command = 'mkdir -p \(archive) && cp %p \(archive)/%f'",
            ]
        }

        /// Lets a server that was made as a standby, and did not run, be restored from an archive
        /// up to a restore point.
        func recover(from archive: String, through point: String) throws {
            try FileManager.default.moveItem(
                atPath: data + "/standby.signal", toPath: data + "/recovery.signal")
            try configure([
                "primary_conninfo = ''", "restore_command = 'cp \(archive)/%f %p'",
                "recovery_target_name = '\(point)'", "recovery_target_action = 'promote'",
            ])
            try start()
            while try query("SELECT pg_is_in_recovery()").hasPrefix("t") {}
        }

        // MARK: Processes

        private static func newDirectory() throws -> URL {
            let url = URL(filePath: "/tmp/skyros-pg-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            if let user { try shell("/bin/chown", user + ":", url.path) }
            return url
        }

        /// The ports that servers of these tests have, or will have.
        private static let givenPorts = Locked<Set<Int>>([])

        /// A port that nothing listens on, and that was not given before.
        static func freePort() throws -> Int {
            while true {
                let port = try unusedPort()
                if givenPorts.withLock({ $0.insert(port).inserted }) { return port }
            }
        }

        /// A port that nothing listens on now: the system chooses it.
        private static func unusedPort() throws -> Int {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let port = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, length) == 0
                        && getsockname(descriptor, address, &length) == 0
                }
            }
            guard port else { throw CocoaError(.featureUnsupported) }
            return Int(UInt16(bigEndian: address.sin_port))
        }

        private static func asUser(_ command: [String]) -> [String] {
            guard let user else { return command }
            return [
                "/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--init-groups",
                // The servers end with the test.
                "--pdeathsig", "KILL",
            ] + command
        }

        private static func run(_ program: String, _ arguments: String...) throws {
            let words = asUser([programs + "/" + program] + arguments)
            try shell(words)
        }

        @discardableResult
        private static func shell(_ words: String..., attempts: Int = 1) throws -> String {
            try shell(words, attempts: attempts)
        }

        @discardableResult
        static func shell(_ words: [String], attempts: Int = 1) throws -> String {
            for attempt in 1...attempts {
                let process = Process()
                process.executableURL = URL(filePath: words[0])
                process.arguments = Array(words.dropFirst())
                process.currentDirectoryURL = URL(filePath: "/tmp")
                let output = Pipe()
                process.standardOutput = output
                process.standardError = output
                try process.run()
                let data = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                let text = String(decoding: data, as: UTF8.self)
                if process.terminationStatus == 0 { return text }
                if attempt == attempts { throw Failure(words: words, output: text) }
                usleep(50_000)
            }
            return ""
        }

        struct Failure: Error {
            let words: [String]
            let output: String
        }
    }
#endif
