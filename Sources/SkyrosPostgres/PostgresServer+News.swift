#if Postgres
    import SkyrosDisk
    package import SkyrosLog

    extension PostgresServer {
        package func announce(_ head: LogHead) throws(ServerError) {
            let connection = try current()
            do throws(PostgresError) {
                let text = "\(head.sequence) \(head.chainHash.signed)"
                _ = try connection.run(
                    prepared: schema.announcement, [.text(schema.channel), .text(text)])
            } catch {
                throw error.ofRead
            }
        }

        package func wait(atMost milliseconds: Int) throws(ServerError) {
            let connection = try current()
            do throws(PostgresError) {
                if listens.withLock({ $0 }) {
                    try connection.run(schema.unlisten)
                    listens.withLock { $0 = false }
                }
                connection.forgetNotifications()
                try connection.wait(atMost: milliseconds, orFor: waker.descriptor)
            } catch {
                throw error.ofRead
            }
            waker.reset()
        }

        package func wake() { waker.wake() }

        package func waitForNews(atMost milliseconds: Int) throws(ServerError) -> LogHead? {
            let connection = try current()
            do throws(PostgresError) {
                if !listens.withLock({ $0 }) {
                    try connection.run(schema.listen)
                    listens.withLock { $0 = true }
                    // What was appended before may not be known.
                    return nil
                }
                guard let first = try connection.waitForNotification(atMost: milliseconds) else {
                    return nil
                }
                // One look is enough for all of them.
                var heads = [Self.head(first)]
                while let text = try connection.waitForNotification(atMost: 0) {
                    heads.append(Self.head(text))
                }
                // A writer whose turn is over may announce late.
                return heads.contains(nil)
                    ? nil : heads.compactMap(\.self).max { $0.sequence < $1.sequence }
            } catch {
                throw error.ofRead
            }
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
