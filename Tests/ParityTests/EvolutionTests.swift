import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

/// Four versions of an app with one entity.
private enum App {
    struct V1: Entity {
        static let entityName = "Book"
        var id: Int
        var name: String
    }

    struct V2: Entity {
        static let entityName = "Book"
        var id: Int
        var title: String
        static let evolution: Evolution<V2> = [.version(2) { .rename("name", to: "title") }]
    }

    struct V3: Entity {
        static let entityName = "Book"
        var id: Int
        var title: String
        var pages: Int
        static let evolution: Evolution<V3> = [
            .version(2) { .rename("name", to: "title") }, .version(3) { .add("pages", 0) },
        ]
    }

    struct V4: Entity, Equatable {
        static let entityName = "Book"
        var id: Int
        var title: String
        var pages: Int
        var shelf: String
        static let evolution: Evolution<V4> = [
            .version(2) { .rename("name", to: "title") }, .version(3) { .add("pages", 0) },
            .version(4) { record in
                record["shelf"] = .text(String(record["title"]?.text?.prefix(1) ?? ""))
            },
        ]
    }

    /// As `V4`, with a new property and no step for it.
    struct WithDefault: Entity {
        static let entityName = "Book"
        var id: Int
        var name: String
        var pages: Int
        static let prototype = WithDefault(id: 0, name: "", pages: 7)
    }
}

@Suite struct `A store of an older version of an app` {
    private let directory: TemporaryDirectory
    private var folder: URL { directory.url.appending(path: "Stores") }

    init() throws { directory = try TemporaryDirectory() }

    /// The stores of the versions 1 to 4.
    private func stores() throws -> SchemaGuard {
        try SchemaGuard(in: folder, entities: App.V4.self)
            .recording("1", as: App.V1.self) { try $0.insert(App.V1(id: 1, name: "Emma")) }
            .recording("2", as: App.V2.self) { try $0.insert(App.V2(id: 1, title: "Emma")) }
            .recording("3", as: App.V3.self) {
                try $0.insert(App.V3(id: 1, title: "Emma", pages: 0))
            }
            .recording("4") { try $0.insert(App.V4(id: 1, title: "Emma", pages: 0, shelf: "E")) }
    }

    private func open(_ release: String) throws -> Store {
        try Store(at: folder.appending(path: release), entities: App.V4.self)
    }

    @Test func `S-128: takes a new property from the prototype`() throws {
        _ = try stores()
        let store = try Store(at: folder.appending(path: "1"), entities: App.WithDefault.self)
        #expect(try store.get(App.WithDefault.self, 1)?.pages == 7)
        let memory = try Store(inMemory: App.WithDefault.self)
        try memory.write { try $0.insert(App.WithDefault(id: 1, name: "a", pages: 1)) }
        #expect(try memory.get(App.WithDefault.self, 1)?.pages == 1)
    }

    @Test func `S-129: is brought on version by version`() throws {
        _ = try stores()
        #expect(
            try open("1").recovery.evolution["Book"]?.map(\.description)
                == ["1 → 2", "2 → 3", "3 → 4"])
        #expect(try open("2").recovery.evolution["Book"]?.map(\.description) == ["2 → 3", "3 → 4"])
        #expect(try open("4").recovery.evolution.isEmpty)
    }

    @Test func `S-130: runs a closure where there is one, and steps elsewhere`() throws {
        _ = try stores()
        for release in ["1", "2", "3", "4"] {
            #expect(
                try open(release).get(App.V4.self, 1)
                    == App.V4(id: 1, title: "Emma", pages: 0, shelf: "E"))
        }
    }

    @Test func `S-131: is copied before the first write, and not again`() throws {
        _ = try stores()
        let url = folder.appending(path: "1")
        for _ in 1...2 {
            let store = try open("1")
            #expect(store.recovery.backup != nil)
            try store.close()
            let copies = try FileManager.default.contentsOfDirectory(
                atPath: url.appending(path: "backups").path)
            #expect(copies.count == 1)
            let copy = url.appending(path: "backups").appending(path: try #require(copies.first))
            #expect(try Archive(at: copy).snapshot().records("Book").count == 1)
        }
        let latest = try open("4")
        #expect(latest.recovery.backup == nil)
        #expect(
            !FileManager.default.fileExists(atPath: folder.appending(path: "4/backups").path))
    }

    @Test func `S-132: is not changed if it is up to date`() throws {
        _ = try stores()
        let store = try open("4")
        let sequence = store.sequence
        try store.close()
        let before = try directory.contents().filter { $0.key.contains("/checkpoint") }
        let again = try open("4")
        #expect(again.sequence == sequence)
        try again.close()
        #expect(try directory.contents().filter { $0.key.contains("/checkpoint") } == before)
    }

    @Test func `S-133: is refused and untouched past a step that an older app cannot undo`() throws
    {
        _ = try stores()
        let before = try directory.contents()
        #expect(
            code {
                _ = try Store(at: folder.appending(path: "4"), entities: App.V1.self)
            } == .schemaMismatch)
        #expect(try directory.contents() == before)
    }

    @Test func `S-134: is kept or set aside, as the handler says`() async throws {
        _ = try stores()
        let url = folder.appending(path: "4")
        let before = try directory.contents()
        await #expect(throws: StoreError(.schemaMismatch, "")) {
            _ = try await Store.open(at: url, entities: App.V1.self) { _ in .abort }
        }
        #expect(try directory.contents() == before)
        let store = try await Store.open(at: url, entities: App.V1.self) { _ in .setAside }
        #expect(try store.count(App.V1.self) == 0)
        let aside = try #require(store.recovery.setAside)
        #expect(aside.error.code == .schemaMismatch)
        let old = try Store(at: URL(filePath: aside.path), entities: App.V4.self)
        #expect(try old.count(App.V4.self) == 1)
    }

    @Test func `S-135: is set aside and reported if its header is damaged`() async throws {
        _ = try stores()
        let url = folder.appending(path: "1")
        let events = url.appending(path: "events")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: events.path).first)
        let file = events.appending(path: name)
        var bytes = try Data(contentsOf: file)
        bytes[20] ^= 1
        try bytes.write(to: file)
        #expect(throws: StoreError.self) { try open("1") }
        let store = try await Store.open(at: url, entities: App.V4.self) { _ in .setAside }
        #expect(try store.count(App.V4.self) == 0)
        #expect(store.recovery.setAside?.path.contains(".quarantine/1") == true)
    }

    @Test func `S-136: can be built for each version, and all of them are read`() throws {
        let steps = try stores().check()
        #expect(steps.keys.sorted() == ["1", "2", "3", "4"])
        #expect(steps["1"]?["Book"]?.count == 3)
    }

    @Test func `S-137: shows old events as they were, and old states as today's type`() throws {
        _ = try stores()
        let store = try open("1")
        try store.write { try $0.update(App.V4.self, 1) { $0.pages = 9 } }
        #expect(try store.history(of: App.V4.self, 1)[0].changes.map(\.field) == ["id", "name"])
        #expect(try store.snapshot(asOf: .sequence(1)).get(App.V4.self, 1)?.shelf == "E")
    }
}
