#if Postgres
    import CPQ
    import SkyrosDisk
    import SkyrosPlatform

    /// A connection to a PostgreSQL server, by libpq: statements with binary parameters and rows.
    ///
    /// Used by one thread at a time, but for `interrupt`.
    ///
    /// - Note: `@unchecked` because of the pointer, which never changes.
    final class PostgresConnection: @unchecked Sendable {
        let handle: OpaquePointer
        /// Another descriptor of the socket, for `interrupt`: libpq closes its own one when the
        /// connection is lost, and its number may be another file's then.
        private let socketCopy: Int32
        /// A connection on which nothing moves for that long, while the server should answer, is
        /// given up: also if the server waits for a quorum.
        private static let silenceMilliseconds = 30_000
        /// How long a decrypted answer may stay unseen, in milliseconds: libpq may have read it
        /// from the socket already.
        private static let sliceMilliseconds = 50
        /// The warnings of the statement that runs.
        private let notices = Notices()
        /// The names of prepared statements, by their SQL.
        let prepared = Locked<[String: String]>([:])
        /// Whether the outcome of a statement was not read yet.
        let hasPosted = Locked(false)

        fileprivate final class Notices: Sendable {
            let warnings = Locked<[String]>([])
        }

        /// Connects.
        ///
        /// - Parameter options: those of libpq, by name.
        /// - Throws: `PostgresError`, whose text has no password.
        init(_ options: PostgresOptions) throws(PostgresError) {
            let pairs = options.all
            var names: [UnsafePointer<CChar>?] = pairs.map { UnsafePointer(strdup($0.name)) }
            var values: [UnsafePointer<CChar>?] = pairs.map { UnsafePointer(strdup($0.value)) }
            defer { for text in names + values { free(UnsafeMutablePointer(mutating: text)) } }
            names.append(nil)
            values.append(nil)
            guard let handle = PQconnectdbParams(names, values, 0) else {
                throw PostgresError(state: nil, message: "out of memory", isConnected: false)
            }
            guard PQstatus(handle) == CONNECTION_OK else {
                let message = options.withoutPassword(String(cString: PQerrorMessage(handle)))
                PQfinish(handle)
                throw PostgresError(state: nil, message: message, isConnected: false)
            }
            self.handle = handle
            socketCopy = fcntl(PQsocket(handle), F_DUPFD_CLOEXEC, 0)
            // So that waiting has an end.
            PQsetnonblocking(handle, 1)
            PQsetNoticeReceiver(
                handle,
                { context, notice in
                    guard let context, let notice else { return }
                    let notices = Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
                    notices.note(notice)
                }, Unmanaged.passUnretained(notices).toOpaque())
        }

        deinit {
            PQfinish(handle)
            if socketCopy >= 0 { close(socketCopy) }
        }

        /// Ends what another thread waits for, with an error there.
        func interrupt() {
            if socketCopy >= 0 { shutdown(socketCopy, Int32(SHUT_RDWR)) }
        }

        /// Runs a statement.
        ///
        /// - Throws: `PostgresError`; also for a warning, which may say that a commit was not
        ///   replicated, and if the server has not answered in time.
        @discardableResult
        func run(
            _ sql: String, _ parameters: [PostgresValue] = []
        ) throws(PostgresError) -> PostgresRows {
            try begin()
            try flush(send(sql, parameters))
            let rows = try result()
            try checkWarnings()
            return rows
        }

        func send(_ sql: String, _ parameters: [PostgresValue]) -> Int32 {
            parameters.withPointers { values, lengths, formats in
                PQsendQueryParams(
                    handle, sql, Int32(parameters.count), nil, values, lengths, formats, 1)
            }
        }

        /// Makes the connection ready for a statement.
        func begin() throws(PostgresError) {
            try forgetPosted()
            notices.warnings.withLock { $0 = [] }
        }

        /// Throws the first warning since they were forgotten.
        func checkWarnings() throws(PostgresError) {
            guard let warning = notices.warnings.withLock({ $0.first }) else { return }
            throw PostgresError(state: nil, message: warning, isConnected: true, isWarning: true)
        }

        /// Sends what libpq has taken.
        ///
        /// - Parameter wasTaken: the answer of the functions that have sent it; 1 if they could.
        func flush(_ wasTaken: Int32) throws(PostgresError) {
            guard wasTaken == 1 else { throw lost() }
            while true {
                switch PQflush(handle) {
                case 0: return
                case 1: try wait(for: Int16(POLLIN | POLLOUT))
                default: throw lost()
                }
            }
        }

        /// All results of the statement, of which the first error counts, or the last rows.
        func result() throws(PostgresError) -> PostgresRows {
            var rows: PostgresRows?
            var failure: PostgresError?
            while true {
                guard let result = try nextResult() else { break }
                let next = PostgresRows(result)
                switch PQresultStatus(result) {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows = next
                // There would be the same result again and again.
                case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                    throw givenUp("the server has begun to copy, which nothing asked for")
                default:
                    let isConnected = PQstatus(handle) == CONNECTION_OK
                    failure = failure ?? PostgresError(next, isConnected: isConnected)
                    if !isConnected { throw failure ?? lost() }
                }
            }
            if let failure { throw failure }
            guard let rows else { throw lost() }
            return rows
        }

        /// The next result, once it has come; nil after those of a statement.
        func nextResult() throws(PostgresError) -> OpaquePointer? {
            while PQisBusy(handle) == 1 { try wait(for: Int16(POLLIN)) }
            return PQgetResult(handle)
        }

        /// Waits for the socket, and reads what is there.
        private func wait(for events: Int16) throws(PostgresError) {
            let deadline = Deadline(afterMilliseconds: Self.silenceMilliseconds)
            let slice = PQsslInUse(handle) == 1 ? Self.sliceMilliseconds : Int.max
            while true {
                var socket = pollfd(fd: PQsocket(handle), events: events, revents: 0)
                let milliseconds = min(slice, max(1, deadline.millisecondsLeft))
                let count = poll(&socket, 1, Int32(clamping: milliseconds))
                guard PQconsumeInput(handle) == 1 else { throw lost() }
                if count > 0 || PQisBusy(handle) == 0 { return }
                guard deadline.hasPassed else { continue }
                throw givenUp(
                    "the server has not answered for \(Self.silenceMilliseconds / 1_000) s")
            }
        }

        private func givenUp(_ why: String) -> PostgresError {
            interrupt()
            return PostgresError(state: nil, message: why, isConnected: false)
        }

        func lost() -> PostgresError {
            PostgresError(
                state: nil, message: String(cString: PQerrorMessage(handle)), isConnected: false)
        }
    }

    extension PostgresConnection.Notices {
        fileprivate func note(_ notice: OpaquePointer) {
            // The severity in English, whatever the language of the server.
            guard let severity = PQresultErrorField(notice, Int32(UInt8(ascii: "V"))),
                String(cString: severity) == "WARNING"
            else { return }
            let text = PQresultErrorField(notice, Int32(UInt8(ascii: "M")))
                .map { String(cString: $0) }
            warnings.withLock { $0.append(text ?? "a warning without a text") }
        }
    }
#endif
