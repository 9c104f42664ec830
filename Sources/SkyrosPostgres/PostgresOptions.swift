#if Postgres
    import CPQ
    import SkyrosLog

    /// What libpq needs to connect: from a URL, with what this library adds.
    ///
    /// It has a password, perhaps: it is no part of any message.
    struct PostgresOptions: Sendable {
        struct Option: Sendable {
            let name: String
            let value: String
        }

        private(set) var all: [Option]

        /// What the URL does not say. A server that does not answer is given up after seconds, not
        /// after minutes; a host that is not the primary is left out.
        private static let defaults = [
            ("target_session_attrs", "read-write"), ("connect_timeout", "5"),
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "15000"), ("client_encoding", "UTF8"),
            ("fallback_application_name", "skyros"),
        ]

        /// - Throws: `LogError` with `.io` if libpq does not understand the URL.
        init(url: String) throws(LogError) {
            guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
                throw Self.invalid("it must begin with postgresql://")
            }
            var message: UnsafeMutablePointer<CChar>?
            guard let parsed = PQconninfoParse(url, &message) else {
                // The text of libpq may quote a part of the URL.
                PQfreemem(message)
                throw Self.invalid("write it as postgresql://user@host1,host2/database")
            }
            defer { PQconninfoFree(parsed) }
            all = []
            var next = parsed
            while let keyword = next.pointee.keyword {
                if let value = next.pointee.val, value.pointee != 0 {
                    all.append(
                        Option(name: String(cString: keyword), value: String(cString: value)))
                }
                next += 1
            }
            guard !all.contains(where: Self.isPartOfPassword) else {
                throw Self.invalid("in a password, write %40 for @, and %2F for /")
            }
            for (name, value) in Self.defaults where !all.contains(where: { $0.name == name }) {
                all.append(Option(name: name, value: value))
            }
        }

        /// Whether libpq takes a part of a password for a host or a port, which its errors name.
        private static func isPartOfPassword(_ option: Option) -> Bool {
            let values = option.value.split(separator: ",")
            return switch option.name {
            // The name of an abstract socket begins with one.
            case "host": values.contains { $0.dropFirst().contains("@") }
            case "port": values.contains { Int($0) == nil }
            default: false
            }
        }

        private static func invalid(_ why: String) -> LogError {
            LogError(.io, "the URL of the server is not valid: \(why)")
        }

        /// A message of libpq without the password.
        func withoutPassword(_ message: String) -> String {
            let secrets = all.filter { ["password", "sslpassword"].contains($0.name) }
            return secrets.reduce(message) { text, secret in
                // Unicode scalars, because the text may go on with a combining mark.
                text.unicodeScalars
                    .split(
                        separator: secret.value.unicodeScalars, omittingEmptySubsequences: false
                    )
                    .map { String($0) }.joined(separator: "…")
            }
        }
    }
#endif
