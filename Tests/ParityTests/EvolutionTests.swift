import Foundation
import Skyros
import SkyrosDisk
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
    private static let emma = App.V4(id: 1, title: "Emma", pages: 0, shelf: "E")

    /// A store that the given version of the app has written.
    private func home(_ medium: Medium, version: Int) throws -> VersionedHome {
        let home = try VersionedHome(medium)
        switch version {
        case 1: try home.write(as: App.V1.self) { try $0.insert(App.V1(id: 1, name: "Emma")) }
        case 2: try home.write(as: App.V2.self) { try $0.insert(App.V2(id: 1, title: "Emma")) }
        case 3:
            try home.write(as: App.V3.self) {
                try $0.insert(App.V3(id: 1, title: "Emma", pages: 0))
            }
        default: try home.write(as: App.V4.self) { try $0.insert(Self.emma) }
        }
        return home
    }

    @Test(arguments: Medium.allCases)
    func `S-128: takes a new property from the prototype`(medium: Medium) throws {
        let home = try home(medium, version: 1)
        let store = try home.open(App.WithDefault.self)
        #expect(store.recovery.evolution.isEmpty)
        #expect(try store.get(App.WithDefault.self, 1)?.pages == 7)
        #expect(try store.get(App.WithDefault.self, 1)?.name == "Emma")
    }

    @Test(arguments: Medium.allCases)
    func `S-129: is brought on version by version`(medium: Medium) throws {
        let steps = try [1, 2, 4].map { version in
            try home(medium, version: version).open(App.V4.self).recovery.evolution["Book"]
        }
        #expect(steps[0]?.map(\.description) == ["1 → 2", "2 → 3", "3 → 4"])
        #expect(steps[1]?.map(\.description) == ["2 → 3", "3 → 4"])
        #expect(steps[2] == nil)
    }

    @Test(arguments: Medium.allCases)
    func `S-130: runs a closure where there is one, and steps elsewhere`(medium: Medium) throws {
        for version in 1...4 {
            let home = try home(medium, version: version)
            let store = try home.open(App.V4.self)
            #expect(try store.get(App.V4.self, 1) == Self.emma)
            #expect(try store.all(App.V4.self, where: \.shelf == "E") == [Self.emma])
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-131: is copied before the first write, and not again`(medium: Medium) throws {
        let home = try home(medium, version: 1)
        let backups = home.directory.store.appending(path: "backups")
        for round in 1...2 {
            let store = try home.open(App.V4.self)
            #expect((store.recovery.backup != nil) == (medium == .disk && round == 1))
            try store.write { try $0.update(App.V4.self, 1) { $0.pages += 1 } }
            try store.close()
            if medium == .memory { continue }
            let copies = try FileManager.default.contentsOfDirectory(atPath: backups.path)
            #expect(copies.count == 1)
            let copy = backups.appending(path: try #require(copies.first))
            #expect(try Archive(at: copy).snapshot().records("Book").count == 1)
            #expect(try Store(at: copy, entities: App.V1.self).get(App.V1.self, 1)?.name == "Emma")
        }
        let latest = try self.home(medium, version: 4)
        #expect(try latest.open(App.V4.self).recovery.backup == nil)
        #expect(try !latest.directory.contents().keys.contains { $0.contains("backups") })
    }

    @Test(arguments: Medium.allCases)
    func `S-132: is not changed if it is up to date`(medium: Medium) throws {
        let home = try home(medium, version: 4)
        let store = try home.open(App.V4.self)
        #expect(store.sequence == 1)
        try store.close()
        let before = try home.directory.contents().filter { $0.key.contains("/checkpoint") }
        let again = try home.open(App.V4.self)
        #expect(again.sequence == 1)
        try again.close()
        let after = try home.directory.contents().filter { $0.key.contains("/checkpoint") }
        #expect(after == before)
    }

    @Test(arguments: Medium.allCases)
    func `S-133: is refused and untouched past a step that an older app cannot undo`(
        medium: Medium
    ) throws {
        let home = try home(medium, version: 4)
        let before = try home.directory.contents()
        #expect(code { _ = try home.open(App.V1.self) } == .schemaMismatch)
        #expect(try home.directory.contents() == before)
        #expect(try home.open(App.V4.self).get(App.V4.self, 1) == Self.emma)
    }

    /// A handler decides about files, so there is no such test in memory.
    @Test func `S-134: is kept or set aside, as the handler says`() async throws {
        let home = try home(.disk, version: 4)
        let url = home.directory.store
        let before = try home.directory.contents()
        await #expect(throws: StoreError(.schemaMismatch, "")) {
            _ = try await Store.open(at: url, entities: App.V1.self) { _ in .abort }
        }
        #expect(try home.directory.contents() == before)
        let store = try await Store.open(at: url, entities: App.V1.self) { _ in .setAside }
        #expect(try store.count(App.V1.self) == 0)
        let aside = try #require(store.recovery.setAside)
        #expect(aside.error.code == .schemaMismatch)
        let old = try Store(at: URL(filePath: aside.path), entities: App.V4.self)
        #expect(try old.count(App.V4.self) == 1)
    }

    @Test func `S-135: is set aside and reported if its header is damaged`() async throws {
        let home = try home(.disk, version: 1)
        let events = home.directory.store.appending(path: "events")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: events.path).first)
        let file = events.appending(path: name)
        var bytes = try Data(contentsOf: file)
        bytes[20] ^= 1
        try bytes.write(to: file)
        #expect(throws: StoreError.self) { try home.open(App.V4.self) }
        let store = try await Store.open(at: home.directory.store, entities: App.V4.self) { _ in
            .setAside
        }
        #expect(try store.count(App.V4.self) == 0)
        #expect(store.recovery.setAside?.path.contains(".quarantine/1") == true)
    }

    @Test func `S-136: can be built for each version, and all of them are read`() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.url.appending(path: "Stores")
        let steps = try SchemaGuard(in: folder, entities: App.V4.self)
            .recording("1", as: App.V1.self) { try $0.insert(App.V1(id: 1, name: "Emma")) }
            .recording("2", as: App.V2.self) { try $0.insert(App.V2(id: 1, title: "Emma")) }
            .recording("3", as: App.V3.self) {
                try $0.insert(App.V3(id: 1, title: "Emma", pages: 0))
            }
            .recording("4") { try $0.insert(Self.emma) }
            .check()
        #expect(steps.keys.sorted() == ["1", "2", "3", "4"])
        #expect(steps["1"]?["Book"]?.count == 3)
        #expect(steps["4"]?.isEmpty == true)
    }

    @Test(arguments: Medium.allCases)
    func `S-137: shows old events as they were, and old states as today's type`(
        medium: Medium
    ) throws {
        let home = try home(medium, version: 1)
        let store = try home.open(App.V4.self)
        try store.write { try $0.update(App.V4.self, 1) { $0.pages = 9 } }
        #expect(try store.history(of: App.V4.self, 1)[0].changes.map(\.field) == ["id", "name"])
        #expect(try store.snapshot(asOf: .sequence(1)).get(App.V4.self, 1) == Self.emma)
    }

    /// A closure that fails for one record, in a version that follows.
    private struct Strict: Entity {
        static let entityName = "Book"
        var id: Int
        var title: String
        static let evolution: Evolution<Strict> = [
            .version(2) { record in
                guard let name = record["name"], name != "" else { throw Refused() }
                record["title"] = name
                record["name"] = nil
            }
        ]
    }

    @Test(arguments: Medium.allCases)
    func `S-079: lists the records that a step cannot bring on, and reads the others`(
        medium: Medium
    ) throws {
        let home = try VersionedHome(medium)
        try home.write(as: App.V1.self) { tx in
            for (id, name) in ["Emma", "", "Ulysses"].enumerated() {
                try tx.insert(App.V1(id: id, name: name))
            }
        }
        let store = try home.open(Strict.self)
        let (values, unreadable) = try store.allReadable(Strict.self)
        #expect(values.map(\.title) == ["Emma", "Ulysses"])
        #expect(unreadable.map(\.id) == [RecordID(1)])
        #expect(unreadable.first?.error.code == .evolutionFailed)
        #expect(store.recovery.unreadable.map(\.id) == [RecordID(1)])
    }

    @Test(arguments: Medium.allCases)
    func `S-078: stays usable after a write that a step refuses`(medium: Medium) throws {
        let home = try VersionedHome(medium)
        try home.write(as: App.V1.self) { tx in
            try tx.insert([App.V1(id: 1, name: ""), App.V1(id: 2, name: "Emma")])
        }
        let store = try home.open(Strict.self)
        #expect(
            code { try store.writeSync { try $0.update(Strict.self, 1) { $0.title = "x" } } }
                == .evolutionFailed)
        try store.writeSync { try $0.update(Strict.self, 2) { $0.title = "Persuasion" } }
            .writeSync { try $0.upsert(Strict(id: 3, title: "Ulysses")) }
        #expect(store.sequence == 3)
        #expect(try store.allReadable(Strict.self).values.map(\.id) == [2, 3])
        // What could not be read is there as it was.
        try store.close()
        if medium == .disk {
            let archive = try Archive(at: home.directory.store)
            #expect(try archive.snapshot().record("Book", RecordID(1))?["name"] == "")
        }
    }
}
