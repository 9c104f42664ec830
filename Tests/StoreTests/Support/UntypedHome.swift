import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport

@testable import Skyros

/// A store that an app writes with its types, and others without them.
struct UntypedHome {
    enum Medium: CaseIterable { case disk, memory }

    let directory: TemporaryDirectory
    private let disk: SimulatedDisk?

    init(_ medium: Medium) throws {
        directory = try TemporaryDirectory()
        disk = medium == .memory ? SimulatedDisk() : nil
    }

    /// Opens the store with types, or without any.
    func open(
        _ types: any Entity.Type..., options: Store.Options = Store.Options()
    ) throws -> Store {
        try open(types, options)
    }

    /// Runs a write block with the app's types, and closes the store.
    func write(
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
