#if Postgres
    import CPQ
    import SkyrosDisk
    import SkyrosPlatform

    extension PostgresConnection {
        /// Runs a statement that this connection runs often: the server parses it once.
        ///
        /// - Throws: as `run`.
        func run(
            prepared sql: String, _ parameters: [PostgresValue] = []
        ) throws(PostgresError) -> PostgresRows {
            try begin()
            let name = try name(of: sql)
            try flush(send(prepared: name, parameters))
            let rows = try result()
            try checkWarnings()
            return rows
        }

        /// Runs a statement, and returns its rows when its commit survives the loss of any machine.
        ///
        /// The settings that decide about it are read after the commit, in the same round trip, by
        /// the pipeline of libpq: https://www.postgresql.org/docs/15/libpq-pipeline-mode.html.
        ///
        /// - Throws: as `run`; without a state if the statement has succeeded, but it cannot be
        ///   said whether its commit is safe.
        func commit(
            _ sql: String, _ parameters: [PostgresValue] = []
        ) throws(PostgresError) -> PostgresRows {
            try begin()
            let name = try name(of: sql)
            let next = try self.name(of: Self.durability)
            guard PQenterPipelineMode(handle) == 1 else { throw lost() }
            // A transaction ends where the pipeline is synchronized. Each call is made whatever the
            // others have returned. After an error of this part the connection is of no use.
            try flush(
                send(prepared: name, parameters) & PQpipelineSync(handle)
                    & send(prepared: next, []) & PQpipelineSync(handle))
            let rows = try nextOutcome()
            let settings = try nextOutcome()
            guard PQexitPipelineMode(handle) == 1 else { throw lost() }
            let committed = try rows.get()
            try checkWarnings()
            do throws(PostgresError) {
                try Self.requireQuorum(settings.get())
            } catch {
                throw PostgresError(
                    state: nil, message: error.message, isConnected: error.isConnected)
            }
            return committed
        }

        /// Lets the server parse a statement, if it has not yet.
        func prepare(_ sql: String) throws(PostgresError) {
            try begin()
            _ = try name(of: sql)
        }

        private func name(of sql: String) throws(PostgresError) -> String {
            if let known = prepared.withLock({ $0[sql] }) { return known }
            let name = "statement \(prepared.withLock { $0.count })"
            try flush(PQsendPrepare(handle, name, sql, 0, nil))
            _ = try result()
            prepared.withLock { $0[sql] = name }
            return name
        }

        func send(prepared name: String, _ parameters: [PostgresValue]) -> Int32 {
            parameters.withPointers { values, lengths, formats in
                PQsendQueryPrepared(
                    handle, name, Int32(parameters.count), values, lengths, formats, 1)
            }
        }

        /// The rows of the next transaction of the pipeline, or its error.
        ///
        /// - Throws: if the connection was lost.
        private func nextOutcome() throws(PostgresError) -> Result<PostgresRows, PostgresError> {
            var outcome = Result { () throws(PostgresError) in try result() }
            if case .failure(let error) = outcome, !error.isConnected { throw error }
            var isEnd = false
            while true {
                guard let result = try nextResult() else {
                    // One separates the results of a statement from those of the commit.
                    guard !isEnd, PQstatus(handle) == CONNECTION_OK else { throw lost() }
                    isEnd = true
                    continue
                }
                isEnd = false
                let next = PostgresRows(result)
                if PQresultStatus(result) == PGRES_PIPELINE_SYNC { return outcome }
                // The commit has failed.
                let isConnected = PQstatus(handle) == CONNECTION_OK
                let error = PostgresError(next, isConnected: isConnected)
                guard isConnected else { throw error }
                outcome = .failure(error)
            }
        }
    }
#endif
