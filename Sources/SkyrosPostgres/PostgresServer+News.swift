#if Postgres
    import SkyrosDisk
    package import SkyrosLog

    extension PostgresServer {
        package func announce(_ head: LogHead) throws(ServerError) {
            let connection = try current()
            do throws(PostgresError) {
                try stopListening(connection)
                let text = "\(head.sequence) \(head.chainHash.signed)"
                try connection.post(schema.announcement, [.text(schema.channel), .text(text)])
            } catch {
                throw error.ofRead
            }
        }

        package func wait(atMost milliseconds: Int) throws(ServerError) {
            let connection = try current()
            do throws(PostgresError) {
                try stopListening(connection)
                try connection.prepare(schema.announcement)
                try wait(connection, atMost: milliseconds)
            } catch {
                throw error.ofRead
            }
        }

        package func waitForNews(atMost milliseconds: Int) throws(ServerError) -> LogHead? {
            let connection = try current()
            do throws(PostgresError) {
                try connection.forgetPosted()
                if !listens.withLock({ $0 }) {
                    try connection.run(schema.listen)
                    listens.withLock { $0 = true }
                    // What was appended before may not be known.
                    return nil
                }
                var news = connection.takeNotifications()
                if news.isEmpty {
                    try wait(connection, atMost: milliseconds)
                    news = connection.takeNotifications()
                }
                // The one that reaches furthest counts.
                let heads = news.map(Self.head)
                // A writer whose turn is over may announce late.
                return heads.contains(nil)
                    ? nil : heads.compactMap(\.self).max { $0.sequence < $1.sequence }
            } catch {
                throw error.ofRead
            }
        }

        package func wake() { waker.withLock { $0 }?.wake() }

        private func wait(
            _ connection: PostgresConnection, atMost milliseconds: Int
        ) throws(PostgresError) {
            guard let waker = waker.withLock({ $0 }) else { return }
            try connection.wait(atMost: milliseconds, orFor: waker.descriptor)
            waker.reset()
        }

        /// Gets no notifications any more: those that nothing reads would stay in memory.
        private func stopListening(_ connection: PostgresConnection) throws(PostgresError) {
            guard listens.withLock({ $0 }) else { return }
            try connection.run(schema.unlisten)
            listens.withLock { $0 = false }
            _ = connection.takeNotifications()
        }

        /// What was announced; nil if something else was notified.
        private static func head(_ text: String) -> LogHead? {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let sequence = UInt64(parts[0]), let chain = Int64(parts[1])
            else { return nil }
            return LogHead(sequence: sequence, chainHash: ChainHash(signed: chain))
        }
    }
#endif
