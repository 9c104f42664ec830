package import Skyros
import SkyrosDisk
import SkyrosTesting

/// Where a store keeps its events.
package enum Medium: CaseIterable, Sendable {
    case disk
    case memory
}

/// A store that versions of an app, and programs without its types, open one after the other.
package struct VersionedHome {
    package let directory: TemporaryDirectory
    private let disk: SimulatedDisk?

    package init(_ medium: Medium) throws {
        directory = try TemporaryDirectory()
        disk = medium == .memory ? SimulatedDisk() : nil
    }

    /// Opens the store with the types of one version, or without any.
    package func open(
        _ types: any Entity.Type..., options: Store.Options = Store.Options()
    ) throws -> Store {
        try open(types, options)
    }

    /// Runs a write block in a store with the types of one version, and closes the store.
    package func write(
        as types: any Entity.Type..., options: Store.Options = Store.Options(),
        block: (inout WriteTransaction) throws -> Void
    ) throws {
        let store = try open(types, options)
        try store.write(block)
        try store.close()
    }

    private func open(_ types: [any Entity.Type], _ options: Store.Options) throws -> Store {
        if let disk {
            let schema = types.isEmpty ? Schema.untyped : try Schema(types)
            return try Store(schema, options, Environment(disk: disk))
        }
        if types.isEmpty { return try Store(untypedAt: directory.store, options: options) }
        return try Store(at: directory.store, entities: types, options: options)
    }
}
