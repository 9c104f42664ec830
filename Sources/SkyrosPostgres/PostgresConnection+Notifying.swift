#if Postgres
    import CPQ
    import SkyrosDisk
    import SkyrosPlatform

    extension PostgresConnection {
        /// Sends a statement, and does not wait for its outcome, which is not used.
        ///
        /// - Throws: `PostgresError` if the connection is lost.
        func post(_ sql: String, _ parameters: [PostgresValue]) throws(PostgresError) {
            try begin()
            if let name = prepared.withLock({ $0[sql] }) {
                try flush(send(prepared: name, parameters))
            } else {
                try flush(send(sql, parameters))
            }
            hasPosted.withLock { $0 = true }
        }

        /// Waits for the end of what was posted.
        ///
        /// - Throws: `PostgresError` if the connection is lost.
        func forgetPosted() throws(PostgresError) {
            let hasPosted = hasPosted.withLock { hasPosted in
                defer { hasPosted = false }
                return hasPosted
            }
            guard hasPosted else { return }
            while let result = try nextResult() { PQclear(result) }
            guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
        }

        /// Waits for some milliseconds, or until something can be read from the server or from
        /// another descriptor.
        ///
        /// - Throws: `PostgresError` if the connection is lost.
        func wait(atMost milliseconds: Int, orFor descriptor: Int32) throws(PostgresError) {
            var descriptors = [
                pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, 2, Int32(clamping: milliseconds))
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }

        /// The texts of the notifications that have come.
        func takeNotifications() -> [String] {
            var texts: [String] = []
            while let notify = PQnotifies(handle) {
                texts.append(String(cString: notify.pointee.extra))
                PQfreemem(notify)
            }
            return texts
        }
    }
#endif
