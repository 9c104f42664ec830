package import Foundation
package import Skyros
import SkyrosDisk
import SkyrosLog
import SkyrosPostgres
import SkyrosTesting
package import Testing

/// Opens stores whose log is where the environment variable `SKYROS_TEST_LOG` says: `quorum` for
/// simulated servers, or the URL of a PostgreSQL server, on which each store has a schema. Without
/// it, in files.
package enum SharedStore {
    private static let place = ProcessInfo.processInfo.environment["SKYROS_TEST_LOG"]
    private static let quorums = Locked<[String: SimulatedQuorum]>([:])

    /// Whether the log is on servers.
    package static var isUsed: Bool { place != nil }

    /// The URL of the PostgreSQL server; nil if there is none.
    package static var url: String? { place.flatMap { $0.hasPrefix("postgres") ? $0 : nil } }

    /// Opens or creates the store at a URL, or the one on the servers that has it as its copy.
    package static func open(
        at url: URL, entities: [any Entity.Type], options: Store.Options = Store.Options()
    ) throws -> Store {
        guard let place else { return try Store(at: url, entities: entities, options: options) }
        if place == "quorum" {
            let quorum = quorum(at: url)
            let plan = NodePlan(.writer, name: "test") { quorum.connection() }
            return try Store(
                at: StorePlace(cache: url, plan), entities: entities, options: options)
        }
        #if Postgres
            let schema = String(url.path.utf8.reduce(5_381) { $0 &* 33 &+ UInt64($1) }, radix: 36)
            return try Store(
                at: .postgres(
                    place, cache: url, schema: schema, role: .writer, allowsWeakDurability: true),
                entities: entities, options: options)
        #else
            preconditionFailure("the tests were built without PostgreSQL")
        #endif
    }

    /// A store in memory, or a new one on the servers, whose copy is in memory.
    package static func inMemory(
        _ entities: any Entity.Type..., options: Store.Options = Store.Options()
    ) throws -> Store {
        let environment = Environment(disk: MemoryDisk())
        let schema = try Schema(entities)
        guard let place else { return try Store(schema, options, environment) }
        if place == "quorum" {
            let quorum = SimulatedQuorum(StoreID(from: SystemEntropy())) { .none }
            let plan = NodePlan(.writer, name: "test") { quorum.connection() }
            return try Store(schema, options, environment, node: plan)
        }
        #if Postgres
            let name = "t" + String(SystemEntropy().next(), radix: 36)
            let plan = StorePlace.postgres(
                place, cache: URL(filePath: "/"), schema: name, role: .writer,
                allowsWeakDurability: true
            ).node
            return try Store(schema, options, environment, node: plan)
        #else
            preconditionFailure("the tests were built without PostgreSQL")
        #endif
    }

    private static func quorum(at url: URL) -> SimulatedQuorum {
        quorums.withLock { quorums in
            if let known = quorums[url.path] { return known }
            let new = SimulatedQuorum(StoreID(from: SystemEntropy())) { .none }
            quorums[url.path] = new
            return new
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For a test that needs a PostgreSQL server.
    package static var onPostgres: ConditionTrait {
        .enabled(if: SharedStore.url != nil, "no server is named by SKYROS_TEST_LOG")
    }

    /// For a test of what only a store in files can do.
    package static var inFiles: ConditionTrait {
        .enabled(if: !SharedStore.isUsed, "it is about a store whose log is in files")
    }
}
