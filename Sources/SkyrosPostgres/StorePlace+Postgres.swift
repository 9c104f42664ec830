#if Postgres
    public import Foundation
    public import Skyros
    import SkyrosLog

    extension StorePlace {
        /// A PostgreSQL database, in a schema with tables that the store makes there.
        ///
        ///     let place = StorePlace.postgres(
        ///         "postgresql://app@db1,db2,db3/shop?sslmode=verify-full", cache: directory)
        ///
        /// - Parameters:
        ///   - url: as libpq takes it, with all servers of a cluster: the node uses the one that
        ///     takes writes. A password can also be in `PGPASSWORD` or a `.pgpass` file.
        ///   - cache: the directory in which this node keeps a copy of the log, and checkpoints.
        ///     One node uses it at a time; it can be deleted.
        ///   - schema: the name of the schema. Each store has one.
        ///   - role: whether the node may write, or must.
        ///   - node: what other nodes call this one in their errors, at most 63 bytes. Default: the
        ///     host and the number of the process.
        ///   - allowsWeakDurability: whether a server is accepted that acknowledges what one
        ///     machine alone has: for tests.
        public static func postgres(
            _ url: String, cache: URL, schema: String = "skyros", role: NodeRole = .automatic,
            node: String? = nil, allowsWeakDurability: Bool = false
        ) -> StorePlace {
            let process = ProcessInfo.processInfo
            let name = node ?? "\(process.hostName) \(process.processIdentifier)"
            return StorePlace(
                cache: cache,
                NodePlan(role, name: name) {
                    do throws(LogError) {
                        return try PostgresServer(
                            url: url, schema: schema, allowsWeakDurability: allowsWeakDurability)
                    } catch {
                        throw StoreError(.invalidInput, error.message)
                    }
                })
        }
    }
#endif
