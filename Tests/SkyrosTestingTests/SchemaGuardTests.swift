import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

private enum Release1 {
    struct Plant: Entity {
        var id: Int
        var label: String
        var height: Int
    }
}

private enum Release2 {
    struct Plant: Entity {
        var id: Int
        var name: String
        var height: Int
        static let evolution: Evolution<Plant> = [.version(2) { .rename("label", to: "name") }]
    }

    struct Careless: Entity {
        static let entityName = "Plant"
        var id: Int
        var name: String
        var height: Int
    }
}

@Suite struct `A schema guard` {
    private let directory: TemporaryDirectory
    private var golden: URL { directory.url.appending(path: "Golden") }

    init() throws { directory = try TemporaryDirectory() }

    private func recorded(_ guardian: SchemaGuard) throws -> SchemaGuard {
        try guardian
            .recording("1.0", as: Release1.Plant.self) { tx in
                try tx.insert(Release1.Plant(id: 1, label: "fern", height: 3))
            }
    }

    @Test func `writes the store of each release once, and reads all of them`() throws {
        let guardian = SchemaGuard(in: golden, entities: Release2.Plant.self)
        let steps = try recorded(guardian)
            .recording("2.0") { tx in
                try tx.insert(Release2.Plant(id: 1, name: "fern", height: 3))
            }
            .check()
        #expect(steps["1.0"]?["Plant"]?.map(\.description) == ["1 → 2"])
        #expect(steps["2.0"]?.isEmpty == true)
        let before = try directory.contents()
        _ = try recorded(guardian).check()
        #expect(try directory.contents() == before)
    }

    @Test func `fails with the missing step and the release`() throws {
        let error = failure(as: StoreError.self) {
            _ = try recorded(SchemaGuard(in: golden, entities: Release2.Careless.self)).check()
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("release 1.0") == true)
        #expect(error?.message.contains(".rename(\"label\", to: \"name\")") == true)
    }

    @Test func `leaves no store if the seed throws`() throws {
        let guardian = SchemaGuard(in: golden, entities: Release2.Plant.self)
        #expect(throws: CancellationError.self) {
            _ = try guardian.recording("1.0") { _ in throw CancellationError() }
        }
        #expect(try guardian.check().isEmpty)
    }
}
