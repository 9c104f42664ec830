#if Postgres
    import CPQ
    import Foundation

    /// The least that keeps events on a PostgreSQL server in an order: libpq, one prepared
    /// statement for the events of all threads that wait, and the condition that the last row is
    /// the expected one.
    ///
    /// Unchecked because the compiler cannot see that the variables are guarded by `state`.
    final class BareLog: @unchecked Sendable {
        private let connection: OpaquePointer
        private let state = NSCondition()
        private var staged: [[UInt8]] = []
        private var stagedCount = 0
        private var writtenCount = 0
        private var isSending = false
        /// Used by the thread that sends.
        private var chain: Int64 = 0

        /// As many as the library sends in one statement.
        static let groupMax = 1_000
        private static let statement = "append"

        init(url: String, schema: String) throws {
            guard let connection = PQconnectdb(url), PQstatus(connection) == CONNECTION_OK else {
                throw BenchmarkError("no connection to \(schema)")
            }
            self.connection = connection
            try run("CREATE SCHEMA \(schema)")
            try run(
                "CREATE TABLE \(schema).event "
                    + "(sequence bigint PRIMARY KEY, chain bigint NOT NULL, event bytea NOT NULL)")
            try run("ALTER TABLE \(schema).event ALTER COLUMN event SET STORAGE EXTERNAL")
            let sql = """
                INSERT INTO \(schema).event
                SELECT $1::bigint + number - 1, chain, event
                FROM unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS e (chain, event, number)
                WHERE coalesce(
                    (SELECT (sequence, chain) = ($1::bigint - 1, $4::bigint)
                        FROM \(schema).event ORDER BY sequence DESC LIMIT 1),
                    $1::bigint = 1)
                """
            try check(PQprepare(connection, Self.statement, sql, 4, nil))
        }

        deinit { PQfinish(connection) }

        /// Returns when the server has acknowledged the event.
        func append(_ event: [UInt8]) throws {
            state.lock()
            defer { state.unlock() }
            staged.append(event)
            stagedCount += 1
            let own = stagedCount
            while writtenCount < own {
                if isSending {
                    state.wait()
                    continue
                }
                isSending = true
                let group = Array(staged.prefix(Self.groupMax))
                staged.removeFirst(group.count)
                let first = writtenCount + 1
                state.unlock()
                let result = Result { try send(group, from: first) }
                state.lock()
                isSending = false
                writtenCount += group.count
                state.broadcast()
                try result.get()
            }
        }

        /// What an event takes in a store on the same server.
        func meanByteCount(in schema: String) throws -> Int {
            let result = PQexec(
                connection, "SELECT avg(octet_length(event))::int FROM \(schema).event")
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_TUPLES_OK, let text = PQgetvalue(result, 0, 0),
                let count = Int(String(cString: text))
            else { throw BenchmarkError(String(cString: PQerrorMessage(connection))) }
            return count
        }

        /// Appends a group, where no other thread appends.
        func append(all group: [[UInt8]]) throws {
            try send(group, from: writtenCount + 1)
            writtenCount += group.count
        }

        private func send(_ group: [[UInt8]], from first: Int) throws {
            let before = chain
            let chains = group.indices.map { before &+ 1 &+ Int64($0) }
            chain = chains.last ?? before
            let values = [
                Self.bytes(Int64(first)), Self.array(chains.map(Self.bytes), of: 20),
                Self.array(group, of: 17), Self.bytes(before),
            ]
            let lengths = values.map { Int32($0.count) }
            let formats = values.map { _ in Int32(1) }
            let all = values.flatMap { $0 }
            let result = all.withUnsafeBytes { all -> OpaquePointer? in
                var pointers: [UnsafePointer<CChar>?] = []
                var start = all.baseAddress
                for value in values {
                    pointers.append(start?.assumingMemoryBound(to: CChar.self))
                    start = start?.advanced(by: value.count)
                }
                return PQexecPrepared(
                    connection, Self.statement, Int32(values.count), pointers, lengths, formats, 1)
            }
            try check(result, count: group.count)
        }

        private func run(_ sql: String) throws { try check(PQexec(connection, sql)) }

        private func check(_ result: OpaquePointer?, count: Int? = nil) throws {
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else {
                throw BenchmarkError(String(cString: PQerrorMessage(connection)))
            }
            guard let count else { return }
            try BenchmarkError.check(String(cString: PQcmdTuples(result)), "\(count)", "rows")
        }

        // MARK: The binary form of parameters

        private static func bytes<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }

        /// - Parameter type: the number of the element type in `pg_type.dat` of PostgreSQL.
        private static func array(_ elements: [[UInt8]], of type: Int32) -> [UInt8] {
            let head = [1, 0, type, Int32(elements.count), 1].flatMap { bytes($0) }
            return elements.reduce(into: head) { all, element in
                all += bytes(Int32(element.count))
                all += element
            }
        }
    }
#endif
