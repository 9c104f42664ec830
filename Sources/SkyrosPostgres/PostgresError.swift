#if Postgres
    import CPQ
    import SkyrosLog

    /// An error of PostgreSQL or of the connection.
    struct PostgresError: Error {
        /// The SQLSTATE; nil if the server said nothing.
        let state: String?
        let message: String
        /// Whether the connection is still there: then a statement that failed has changed nothing.
        let isConnected: Bool
        /// Whether the statement has succeeded, with a warning.
        var isWarning = false
        /// Whether the server promises less than it must.
        var isWeak = false

        /// What this means for a transaction that was being committed.
        var ofCommit: ServerError {
            if isWarning { return .unknown(message) }
            switch state {
            case nil: return .unknown(message)
            // A unique violation: another node has written the same number.
            case "23505": return .conflict
            case let state? where Self.endsConnection(state): return .unknown(message)
            default: return isConnected ? ofRead : .unknown(message)
            }
        }

        /// What this means for the tables of a new log.
        var ofCreation: ServerError {
            // There is a table, or another object, with the name of one.
            guard state == "42P07" || state == "42710" else { return ofCommit }
            return .refused(Self.anotherProgram(message))
        }

        /// The error of a schema in which another program has its tables.
        static func anotherProgram(_ why: String) -> LogError {
            LogError(
                .noLog,
                "the schema has tables of another program, or what is left of a store: \(why); "
                    + "name another schema")
        }

        /// Whether a table or a column is not there, or is something else.
        var lacksTable: Bool { ["42P01", "42703", "42809"].contains(state) }

        /// What this means for an attempt to connect.
        var ofConnecting: ServerError {
            if isWeak {
                return .refused(
                    LogError(
                        .insecureDurability,
                        "the server would acknowledge what a failure can take away: \(message)"))
            }
            return ofRead
        }

        /// What this means for a statement that changes nothing.
        var ofRead: ServerError {
            guard let state, !isWarning else { return .unavailable(message) }
            // Classes of https://www.postgresql.org/docs/15/errcodes-appendix.html
            switch state.prefix(2) {
            // Connection exceptions; shutdowns and crashes; too many connections or too little
            // memory; serialization failures and deadlocks.
            case "08", "57", "40": return .unavailable(message)
            case "53" where state == "53100":
                return .refused(LogError(.diskFull, "the disk of the server is full: \(message)"))
            case "53": return .unavailable(message)
            // A server that became a standby, or is none yet.
            case "25": return .unavailable(message)
            default:
                return .refused(LogError(.io, "the server refuses: \(message) (\(state))"))
            }
        }

        /// Shutdowns and crashes: a commit that waited may have taken place.
        private static func endsConnection(_ state: String) -> Bool {
            state.hasPrefix("57P") || state.hasPrefix("08")
        }
    }

    extension PostgresError {
        init(_ rows: PostgresRows, isConnected: Bool) {
            func field(_ code: Character) -> String? {
                PQresultErrorField(rows.result, Int32(code.asciiValue ?? 0))
                    .map { String(cString: $0) }
            }
            let detail = field("D").map { " (\($0))" } ?? ""
            let message = field("M") ?? String(cString: PQresultErrorMessage(rows.result))
            self.init(state: field("C"), message: message + detail, isConnected: isConnected)
        }
    }
#endif
