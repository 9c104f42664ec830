import Foundation
import SkyrosDisk
import SkyrosTesting

@testable import Skyros

// Types of several releases of an app.

extension ErrorProvocation {
    /// The shape in which a record is stored.
    struct FirstShape: Entity {
        static let entityName = "Shape"
        var id: Int
        var text: String
    }

    struct OtherShape: Entity {
        static let entityName = "Shape"
        var id: Int
        var number: Int
    }

    struct Failing: Entity {
        static let entityName = "Shape"
        var id: Int
        var text: Int
        static let evolution: Evolution<Failing> = [.version(2) { .retype("text", .textToInteger) }]
    }

    /// Asks for an event that was pruned.
    static func askBelowFloor() throws {
        var options = Store.Options()
        options.sealThresholdBytes = 1
        let store = try Store(on: SimulatedDisk(), entities: FirstShape.self, options: options)
        store.maintenance.stop()
        try store.write(durability: .durable) { try $0.insert(FirstShape(id: 1, text: "")) }
        try store.prune(before: .distantFuture)
        _ = try store.event(1)
    }

    /// A store with a record of another shape.
    static func reopened(as type: any Entity.Type) throws -> Store {
        let disk = SimulatedDisk()
        let store = try Store.simulated(
            [FirstShape.self], Store.Options(), Environment(disk: disk))
        try store.write { try $0.insert(FirstShape(id: 1, text: "no number")) }
        try store.close()
        return try Store.simulated([type], Store.Options(), Environment(disk: disk))
    }
}

// MARK: Required reasons

private struct Audited: Entity {
    var id: Int
    static let requiresReason = true
}

extension ErrorProvocation {
    static func writeWithoutReason() throws {
        let store = try Store(inMemory: Audited.self)
        try store.write { try $0.insert(Audited(id: 1)) }
    }
}
