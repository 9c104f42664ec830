#if Postgres
    import SkyrosDisk
    package import SkyrosLog

    /// A log in a schema of a PostgreSQL database.
    package final class PostgresServer: LogServer {
        private let options: PostgresOptions
        let schema: PostgresSchema
        private let allowsWeakDurability: Bool
        private struct Session: Sendable {
            var connection: PostgresConnection?
            /// The calls of `disconnect`.
            var endCount = 0
        }

        /// How often the turn is asked for while no session is listed that has it.
        private static let turnAttemptsMax = 1_000

        private let session = Locked(Session())
        /// Ends `wait`.
        let waker = Locked<Waker?>(nil)
        /// Whether the connection gets notifications.
        let listens = Locked(false)

        /// - Parameters:
        ///   - url: `postgresql://user@host1,host2,host3/database`, as libpq takes it.
        ///   - schema: the schema with the tables.
        ///   - allowsWeakDurability: whether a server is accepted that acknowledges what only one
        ///     machine has.
        /// - Throws: `LogError` with `.io` if the URL or the name is not valid.
        package init(
            url: String, schema: String, allowsWeakDurability: Bool = false
        ) throws(LogError) {
            options = try PostgresOptions(url: url)
            self.schema = try PostgresSchema(schema)
            self.allowsWeakDurability = allowsWeakDurability
        }

        package func connect() throws(ServerError) {
            disconnect()
            if waker.withLock({ $0 == nil }) {
                let waker = try Waker()
                self.waker.withLock { $0 = waker }
            }
            let endCount = session.withLock { $0.endCount }
            let connection: PostgresConnection
            do throws(PostgresError) {
                connection = try PostgresConnection(options)
                try connection.prepareSession()
                if !allowsWeakDurability { try connection.requireQuorum() }
            } catch {
                throw error.ofConnecting
            }
            let isWanted = session.withLock { session in
                guard session.endCount == endCount else { return false }
                session.connection = connection
                return true
            }
            guard isWanted else { throw .unavailable("the connection was given up") }
        }

        package func takeTurn(as node: String) throws(ServerError) -> TurnHolder {
            // The name that other nodes get. PostgreSQL takes 63 bytes.
            _ = try read("SELECT set_config('application_name', $1::text, false)", [.text(node)])
            for _ in 0..<Self.turnAttemptsMax {
                let rows = try read(schema.takeTurn, [.text(schema.channel)])
                if let turn = try turn() { return turn }
                guard rows.boolean(0, 0) == false else {
                    throw .refused(LogError(.io, "the server does not list its locks"))
                }
                // Another node gives it up, or its session ends.
                Monitor.pause(milliseconds: 1)
            }
            throw .unavailable("a session that is not listed has the turn to write")
        }

        package func turn() throws(ServerError) -> TurnHolder? {
            let rows = try read(schema.turn, [.text(schema.channel)])
            guard rows.count > 0 else { return nil }
            return TurnHolder(
                node: rows.text(0, 0), connection: rows.text(0, 1),
                isOwn: rows.boolean(0, 2) == true)
        }

        package func disconnect() {
            listens.withLock { $0 = false }
            let former = session.withLock { session in
                session.endCount += 1
                defer { session.connection = nil }
                return session.connection
            }
            former?.interrupt()
        }

        package func exists() throws(ServerError) -> Bool {
            try read(schema.existence, [.text(schema.unquotedName)]).boolean(0, 0) == true
        }

        package func create(_ storeID: StoreID) throws(ServerError) {
            let connection = try current()
            do throws(PostgresError) {
                // Two nodes may do so at the same time.
                try connection.run("BEGIN")
                try connection.run(
                    "SELECT pg_advisory_xact_lock(hashtext($1))", [.text(schema.name)])
                let found = try connection.run(schema.existence, [.text(schema.unquotedName)])
                if found.boolean(0, 0) == false { try makeTables(storeID, connection) }
            } catch {
                disconnect()
                throw error.ofCreation
            }
            do throws(PostgresError) {
                try connection.run("COMMIT")
            } catch {
                disconnect()
                guard case .unknown(let why) = error.ofCommit else { throw error.ofCommit }
                throw .unknown(
                    "the new store was not confirmed, as by the standbys that "
                        + "synchronous_standby_names lists: \(why)")
            }
        }

        private func makeTables(
            _ storeID: StoreID, _ connection: PostgresConnection
        ) throws(PostgresError) {
            for statement in schema.creation.split(separator: ";\n") {
                try connection.run(String(statement))
            }
            try connection.run(
                "INSERT INTO \(schema.name).log (version, store) VALUES ($1::bigint, $2::bytea)",
                [.integer(PostgresSchema.version), .bytes(storeID.bytes)])
        }

        package func state() throws(ServerError) -> ServerState {
            let rows = try stateRows()
            guard rows.count == 1, let version = rows.integer(0, 0),
                let storeID = StoreID(rows.bytes(0, 1))
            else { throw .refused(LogError(.corrupt, "the schema has no log of a store")) }
            guard version == PostgresSchema.version else {
                throw .refused(Self.unsupported(version))
            }
            let beginning = ChainHash(beginning: storeID)
            let first = rows.integer(0, 4) ?? rows.integer(0, 5) ?? 1
            let last = rows.integer(0, 2) ?? 0
            guard 0 < first, case let sealed = rows.integer(0, 6) ?? (first - 1),
                0 <= last, first - 1 <= sealed, rows.isNull(0, 6) || sealed <= last
            else {
                throw .refused(LogError(.corrupt, "the numbers of the events are not possible"))
            }
            let head = LogHead(
                sequence: UInt64(last),
                chainHash: rows.integer(0, 3).map { ChainHash(signed: $0) } ?? beginning)
            return ServerState(
                storeID: storeID, firstSequence: UInt64(first), sealedThrough: UInt64(sealed),
                head: head)
        }

        private func stateRows() throws(ServerError) -> PostgresRows {
            let connection = try current()
            do throws(PostgresError) {
                return try connection.run(prepared: schema.state)
            } catch let error where error.lacksTable {
                throw .refused(try refusal(of: error, connection))
            } catch {
                throw error.ofRead
            }
        }

        /// What the tables are, of which one is missing, or has not the columns of ours.
        private func refusal(
            of error: PostgresError, _ connection: PostgresConnection
        ) throws(ServerError) -> LogError {
            do throws(PostgresError) {
                let rows = try connection.run(schema.logVersion)
                if rows.count == 1, let version = rows.integer(0, 0) {
                    return version == PostgresSchema.version
                        ? LogError(.corrupt, "the store lacks a table or column: \(error.message)")
                        : Self.unsupported(version)
                }
            } catch {
                guard error.lacksTable else { throw error.ofRead }
            }
            return PostgresError.anotherProgram(error.message)
        }

        private static func unsupported(_ version: Int64) -> LogError {
            LogError(
                .unsupportedFormat,
                "the schema has version \(version), and this library knows "
                    + "\(PostgresSchema.version)")
        }

        package func append(
            _ batches: [RemoteBatch], after head: LogHead, origin: UInt64
        ) throws(ServerError) {
            let rows = try commit(
                schema.append,
                [
                    .integer(Int64(bitPattern: head.sequence + 1)),
                    .integers(batches.map(\.chainHash.signed)),
                    .byteArrays(batches.map(\.bytes)), .integer(head.chainHash.signed),
                    .integer(Int64(bitPattern: origin)),
                ])
            switch rows.changedCount {
            case batches.count: return
            case 0: throw .conflict
            default: throw .unknown("the server has appended another number of events")
            }
        }

        package func waitForQuorum() throws(ServerError) { _ = try commit(schema.barrier) }

        /// Runs a statement that changes the log; returns when the quorum has its commit.
        private func commit(
            _ sql: String, _ parameters: [PostgresValue] = []
        ) throws(ServerError) -> PostgresRows {
            let connection = try current()
            do throws(PostgresError) {
                if allowsWeakDurability { return try connection.run(prepared: sql, parameters) }
                return try connection.commit(sql, parameters)
            } catch {
                throw error.ofCommit
            }
        }

        package func chainHash(through sequence: UInt64) throws(ServerError) -> ChainHash? {
            if sequence == 0 { return ChainHash(beginning: try state().storeID) }
            let rows = try read(schema.chainHash, [.integer(Int64(bitPattern: sequence))])
            return rows.count == 0 ? nil : rows.integer(0, 0).map { ChainHash(signed: $0) }
        }

        package func origin(of sequence: UInt64) throws(ServerError) -> BatchOrigin? {
            let rows = try read(schema.chainHash, [.integer(Int64(bitPattern: sequence))])
            guard rows.count > 0 else { return nil }
            guard let chain = rows.integer(0, 0), let origin = rows.integer(0, 1) else {
                throw .refused(LogError(.corrupt, "a row of the log has no origin"))
            }
            return BatchOrigin(
                chainHash: ChainHash(signed: chain), number: UInt64(bitPattern: origin))
        }

        package func batches(
            from sequence: UInt64, byteCountMax: Int
        ) throws(ServerError) -> [RemoteBatch] {
            let rows = try read(
                schema.batches,
                [.integer(Int64(bitPattern: sequence)), .integer(Int64(byteCountMax))])
            var batches: [RemoteBatch] = []
            for row in 0..<rows.count {
                guard let number = rows.integer(row, 0), let chain = rows.integer(row, 1) else {
                    throw .refused(LogError(.corrupt, "a row of the log has no number"))
                }
                batches.append(
                    RemoteBatch(
                        sequence: UInt64(bitPattern: number), chainHash: ChainHash(signed: chain),
                        bytes: rows.bytes(row, 2)))
            }
            return batches
        }

        package func frame(containing sequence: UInt64) throws(ServerError) -> RemoteFrame? {
            let rows = try read(schema.frame, [.integer(Int64(bitPattern: sequence))])
            guard rows.count > 0 else { return nil }
            guard let first = rows.integer(0, 0), let last = rows.integer(0, 1), 0 < first,
                first <= last,
                let before = rows.integer(0, 2), let after = rows.integer(0, 3)
            else { throw .refused(LogError(.corrupt, "a row of frames has no numbers")) }
            return RemoteFrame(
                UInt64(bitPattern: first)...UInt64(bitPattern: last),
                chainHashBefore: ChainHash(signed: before),
                chainHashAfter: ChainHash(signed: after), zstd: rows.bytes(0, 4))
        }

        package func seal(_ frame: RemoteFrame) throws(ServerError) {
            let connection = try current()
            do throws(PostgresError) {
                let rows = try connection.run(
                    prepared: schema.seal,
                    [
                        .integer(Int64(bitPattern: frame.sequences.lowerBound)),
                        .integer(Int64(bitPattern: frame.sequences.upperBound)),
                        .integer(frame.chainHashBefore.signed),
                        .integer(frame.chainHashAfter.signed),
                        .bytes(frame.zstd),
                    ])
                if rows.integer(0, 0) == 1 { return }
            } catch {
                throw error.ofCommit
            }
            throw .conflict
        }

        package func time() throws(ServerError) -> Int64? {
            try read(schema.time).integer(0, 0)
        }

        package func positions() throws(ServerError) -> [String: RemotePosition] {
            let rows = try read(schema.positions)
            var positions: [String: RemotePosition] = [:]
            for row in 0..<rows.count {
                guard let sequence = rows.integer(row, 1), 0 <= sequence,
                    let chain = rows.integer(row, 2)
                else { throw .refused(LogError(.corrupt, "a subscription has no position")) }
                positions[rows.text(row, 0)] = RemotePosition(
                    head: LogHead(
                        sequence: UInt64(bitPattern: sequence),
                        chainHash: ChainHash(signed: chain)),
                    keepsHistory: rows.boolean(row, 3) == true)
            }
            return positions
        }

        package func save(
            _ position: RemotePosition?, of name: String
        ) throws(ServerError) {
            guard let position else {
                _ = try commit(schema.removePosition, [.text(name)])
                return
            }
            _ = try commit(
                schema.savePosition,
                [
                    .text(name), .integer(Int64(bitPattern: position.head.sequence)),
                    .integer(position.head.chainHash.signed),
                    .integer(position.keepsHistory ? 1 : 0),
                ])
        }

        func current() throws(ServerError) -> PostgresConnection {
            guard let connection = session.withLock({ $0.connection }) else {
                throw .unavailable("there is no connection")
            }
            return connection
        }

        func read(
            _ sql: String, _ parameters: [PostgresValue] = []
        ) throws(ServerError) -> PostgresRows {
            let connection = try current()
            do throws(PostgresError) {
                return try connection.run(prepared: sql, parameters)
            } catch {
                throw error.ofRead
            }
        }
    }

    extension ChainHash {
        init(signed: Int64) { self.init(rawValue: UInt64(bitPattern: signed)) }
        var signed: Int64 { Int64(bitPattern: rawValue) }
    }
#endif
