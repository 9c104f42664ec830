public import Foundation
public import Skyros

/// A test that the stores of all released versions of an app can still be read: it keeps a small
/// store for each of them in the repository, and opens copies with today's types.
///
///     @Test func `stores of every release can be read`() throws {
///         try SchemaGuard(in: golden, entities: Customer.self)
///             .recording("1.0") { tx in try tx.insert(Customer(id: 1, fullName: "Ada")) }
///             .check()
///     }
///
/// With each release add a line with its name; the first run writes its store, which is committed.
/// A change of a type without a step then fails the test, with the code of the step in the message.
public struct SchemaGuard: Sendable {
    private let folder: URL
    private let entities: [any Entity.Type]

    /// A guard over the stores in `folder`, which is created if there is none.
    public init(in folder: URL, entities: any Entity.Type...) {
        self.folder = folder
        self.entities = entities
    }

    /// Writes the store of a release, unless the folder has it already.
    ///
    /// - Parameters:
    ///   - release: the name of its directory.
    ///   - types: the types of that release; by default those of the guard. With older types, kept
    ///     in the test, it builds stores of versions that were released before.
    ///   - seed: writes some records, with values in optional properties, too.
    /// - Throws: `StoreError`; what `seed` throws, and no store is left then.
    public func recording(
        _ release: String, as types: any Entity.Type...,
        seed: (inout WriteTransaction) throws -> Void
    ) throws -> SchemaGuard {
        try NewStore.write(
            to: folder.appending(path: release), types.isEmpty ? entities : types
        ) { try $0.write(seed) }
        return self
    }

    /// Opens a copy of each store in the folder with today's types, and reads all of its records.
    ///
    /// - Returns: the steps that were applied, by release.
    /// - Throws: `StoreError` with `.schemaMismatch` and the code to add; with `.notDecodable` or
    ///   `.evolutionFailed` for a record that cannot be read; the message names the release.
    @discardableResult
    public func check() throws -> NamedValues<NamedValues<[EvolutionStep]>> {
        var steps = NamedValues<NamedValues<[EvolutionStep]>>()
        let files = FileManager.default
        for release in try files.contentsOfDirectory(atPath: folder.path).sorted()
        where !release.hasPrefix(".") {
            let original = folder.appending(path: release)
            // A directory that only this call has.
            let place = try files.url(
                for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: original,
                create: true)
            defer { try? files.removeItem(at: place) }
            let copy = place.appending(path: release)
            try files.copyItem(at: original, to: copy)
            do {
                steps[release] = try stepsApplied(to: copy)
            } catch let error as StoreError {
                throw StoreError(
                    error.code, "the store of release \(release): \(error.message)",
                    at: error.place, cause: error.cause)
            }
        }
        return steps
    }

    private func stepsApplied(to url: URL) throws -> NamedValues<[EvolutionStep]> {
        var options = Store.Options()
        options.backsUpBeforeEvolution = false
        let store = try Store(at: url, entities: entities, options: options)
        if let unreadable = try store.unreadableRecords().first { throw unreadable.error }
        let steps = store.recovery.evolution
        try store.close()
        return steps
    }
}
