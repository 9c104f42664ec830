import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport

/// A store that versions of an app open one after the other.
struct VersionedHome {
    let directory: TemporaryDirectory
    private let disk: SimulatedDisk?

    init(_ medium: Medium) throws {
        directory = try TemporaryDirectory()
        disk = medium == .memory ? SimulatedDisk() : nil
    }

    /// Opens the store with the types of one version.
    func open(
        _ types: any Entity.Type..., options: Store.Options = Store.Options()
    ) throws -> Store {
        guard let disk else {
            return try Store(at: directory.store, entities: types, options: options)
        }
        return try Store(Schema(types), options, Environment(disk: disk))
    }

    /// Runs a write block in a store with the types of one version, and closes the store.
    func write(
        as types: any Entity.Type..., block: (inout WriteTransaction) throws -> Void
    ) throws {
        let store: Store
        if let disk {
            store = try Store(Schema(types), Store.Options(), Environment(disk: disk))
        } else {
            store = try Store(at: directory.store, entities: types)
        }
        try store.write(block)
        try store.close()
    }
}
