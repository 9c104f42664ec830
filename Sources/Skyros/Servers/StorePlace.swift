package import Foundation
package import SkyrosDisk

/// Where a store is whose log is on a server, and where this node keeps its copy of it.
///
///     import SkyrosPostgres
///
///     let place = StorePlace.postgres("postgresql://db1,db2,db3/shop", cache: directory)
///     let store = try Store(at: place, entities: Order.self)
public struct StorePlace: Sendable {
    /// The directory of the copy.
    package let cache: URL
    package let node: NodePlan

    package init(cache: URL, _ node: NodePlan) {
        self.cache = cache
        self.node = node
    }
}

extension Store {
    /// Opens the store at `place`, or creates it.
    ///
    /// Several nodes may have it open. Each reads from its memory, which has all that was
    /// acknowledged by the servers; one at a time has the turn to write: see ``NodeRole``.
    ///
    /// - Throws: `StoreError` as an opening at a URL; with `.invalidInput` if the server's URL or
    ///   the schema's name is not valid, `.serverUnavailable` if the server cannot be reached,
    ///   `.insecureDurability` if it acknowledges what a failure may take away, `.foreignStore` if
    ///   the directory of the copy has another store, `.alreadyOpen` if another process uses that
    ///   directory, or if the node must write and another one does.
    public convenience init(
        at place: StorePlace, entities: any Entity.Type..., options: Options = Options()
    ) throws {
        try self.init(at: place, entities: entities, options: options)
    }

    /// Opens the store at `place`, with the types in an array.
    public convenience init(
        at place: StorePlace, entities: [any Entity.Type], options: Options = Options()
    ) throws {
        try self.init(at: place, entities: entities, options: options, clock: SystemClock())
    }

    package convenience init(
        at place: StorePlace, entities: [any Entity.Type], options: Options,
        clock: any WallClock
    ) throws {
        let schema = try Schema(entities)
        let disk = try StoreDirectory.disk(at: place.cache, creating: true)
        try self.init(schema, options, Environment(disk: disk, clock: clock), node: place.node)
    }

    /// Opens or creates a store at `place` without types: for importers, tools and adapters, as one
    /// at a URL.
    public convenience init(untypedAt place: StorePlace, options: Options = Options()) throws {
        let disk = try StoreDirectory.disk(at: place.cache, creating: true)
        try self.init(.untyped, options, Environment(disk: disk), node: place.node)
    }
}
