public import Foundation
package import SkyrosDisk

extension Store {
    /// Opens the store at `url`, or creates it, with missing directories.
    ///
    ///     let store = try Store(at: url, entities: Restaurant.self, Order.self)
    ///
    /// Opening recovers from a crash of the last process: see `recovery`. It opens a store beside
    /// files that are not its own, but creates one only in a new or empty directory, or where an
    /// earlier creation was interrupted.
    ///
    /// - Throws: `StoreError`, with `.alreadyOpen` if another process, or this one, has the
    ///   store open; `.invalidSchema` and `.unknownEntity` if the types do not fit;
    ///   `.uniqueViolation` if records break a unique index that was declared after them;
    ///   `.logCorrupt`, `.segmentMissing`, `.chainBroken`, `.logBehindCheckpoint` if something
    ///   that was durable is damaged or missing; `.notAStore` if `url` is a file, or a directory
    ///   with other files and no store; `.invalidInput` if it is no file URL;
    ///   `.unsupportedFormat`, `.insecurePath`, `.io`.
    ///   An opening that is refused changes nothing, but may leave the file `lock` in a store.
    public convenience init(
        at url: URL, entities: any Entity.Type..., options: Options = Options()
    ) throws {
        try self.init(at: url, entities: entities, options: options)
    }

    /// Opens the store at `url`, with the types in an array.
    public convenience init(
        at url: URL, entities: [any Entity.Type], options: Options = Options()
    ) throws {
        let schema = try Schema(entities)
        let disk = try StoreDirectory.disk(at: url, creating: options.createsStore)
        try self.init(schema, options, Environment(disk: disk))
    }

    /// Opens the store at `url`, or creates it, without the Swift types of its records: for tools,
    /// imports and migrations, which read and write ``Record``s.
    ///
    ///     let store = try Store(untypedAt: url)
    ///     try store.write(by: "import") { tx in try tx.insert(record) }
    ///
    /// It knows every entity that it holds, and accepts new ones. Writes are held to the unique
    /// indexes and relations that the log records: those with which an app has written the entity.
    /// Of records of an older shape it knows the steps of the evolution, but no closures: what
    /// depends on these throws `.evolutionFailed`.
    ///
    /// - Complexity: as an opening with types, which builds their indexes.
    /// - Throws: `StoreError`, as an opening with types, also `.uniqueViolation` and
    ///   `.brokenReference` for what the log records.
    public convenience init(untypedAt url: URL, options: Options = Options()) throws {
        let disk = try StoreDirectory.disk(at: url, creating: options.createsStore)
        try self.init(.untyped, options, Environment(disk: disk))
    }

    /// Creates a store in memory without the Swift types of its records.
    public static func untypedInMemory(options: Options = Options()) throws -> Store {
        try Store(.untyped, options, Environment(disk: MemoryDisk()))
    }

    /// Creates a store in memory. It behaves as any other, has no files, and ends with its last
    /// reference.
    public convenience init(
        inMemory entities: any Entity.Type..., options: Options = Options()
    ) throws {
        let environment = Environment(disk: MemoryDisk())
        try self.init(Schema(entities), options, environment)
    }

    /// Opens a store on any disk, with any clock.
    package convenience init(
        _ schema: Schema, _ options: Options, _ environment: Environment, node: NodePlan? = nil
    ) throws {
        let opening = StoreOpening(
            environment: environment, schema: schema, options: options, node: node)
        self.init(try opening.open())
        try startNode()
    }
}
