import Foundation
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

/// The shapes of one entity, version by version.
private enum V1 {
    struct Customer: Entity, Equatable {
        var id: Int
        var name: String
        var phone: Int
        var fax: String?
        static let indexes: [Index<Customer>] = [.on(\.phone), .unique(\.name)]
    }
}

private enum V2 {
    struct Customer: Entity, Equatable {
        var id: Int
        var fullName: String
        var phone: String
        var newsletter: Bool
        static let indexes: [Index<Customer>] = [.on(\.phone), .unique(\.fullName)]
        static let evolution: Evolution<Customer> = [
            .version(2) {
                .rename("name", to: "fullName").retype("phone", .integerToText)
                    .add("newsletter", false).drop("fax")
            }
        ]
    }

    /// As `Customer`, without the steps.
    struct Careless: Entity {
        var id: Int
        var fullName: String
        var phone: String
        var newsletter: Bool
        static let entityName = "Customer"
    }
}

private enum V3 {
    struct Customer: Entity, Equatable {
        var id: Int
        var fullName: String
        var phone: String
        var newsletter: Bool
        var tier: String
        static let indexes: [Index<Customer>] = [.on(\.tier), .unique(\.fullName)]
        static let evolution: Evolution<Customer> = [
            .version(2) {
                .rename("name", to: "fullName").retype("phone", .integerToText)
                    .add("newsletter", false).drop("fax")
            },
            .version(3) { record in
                if record["fullName"]?.text == "Bad" { throw CocoaError(.coderInvalidValue) }
                record["tier"] = record["newsletter"] == true ? "gold" : "basic"
            },
        ]
    }
}

@Suite struct `A store whose types evolve` {
    private let directory: TemporaryDirectory

    /// A closed store of the first version, with three customers.
    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: V1.Customer.self)
        try store.write(by: "ann") { tx in
            for id in 1...3 {
                try tx.insert(
                    V1.Customer(id: id, name: "C\(id)", phone: 100 + id, fax: id == 1 ? "f" : nil))
            }
        }
        try store.close()
    }

    private func v2() throws -> Store { try Store(at: directory.store, entities: V2.Customer.self) }

    private func v3() throws -> Store { try Store(at: directory.store, entities: V3.Customer.self) }

    @Test func `reads old records in the newest shape`() throws {
        let store = try v2()
        #expect(
            try store.get(V2.Customer.self, 1)
                == V2.Customer(id: 1, fullName: "C1", phone: "101", newsletter: false))
        #expect(try store.all(V2.Customer.self).map(\.phone) == ["101", "102", "103"])
        #expect(store.recovery.evolution == ["Customer": [EvolutionStep(from: 1, to: 2)]])
        // What is stored stays as it is.
        let archive = try Archive(at: directory.store)
        #expect(try archive.snapshot().record("Customer", RecordID(1))?["phone"] == 101)
        #expect(try store.snapshot(asOf: .sequence(1)).all(V2.Customer.self).count == 3)
    }

    @Test func `finds old records by indexes over evolved fields`() throws {
        let store = try v2()
        let plan = store.snapshot.tables[0].plan(FetchRequest<V2.Customer>(where: \.phone == "102"))
        #expect(plan.range != nil)
        #expect(try store.all(V2.Customer.self, where: \.phone == "102").map(\.id) == [2])
        #expect(
            code {
                try store.write {
                    try $0.insert(
                        V2.Customer(
                            id: 9, fullName: "C2", phone: "1", newsletter: true))
                }
            } == .uniqueViolation)
        try store.write { try $0.delete(V2.Customer.self, 2) }
        try store.write { try $0.update(V2.Customer.self, 3) { $0.phone = "x" } }
        #expect(try store.all(V2.Customer.self, where: \.phone == "103").isEmpty)
        #expect(try store.all(V2.Customer.self, where: \.phone == "x").map(\.id) == [3])
    }

    @Test func `logs the whole difference with the first write, and marks what steps changed`()
        throws
    {
        let store = try v2()
        try store.write(by: "bob") { tx in
            try tx.update(V2.Customer.self, 1) { $0.newsletter = true }
        }
        let event = try #require(try store.event(2))
        guard case .updated(_, _, let before, let after) = event.changes[0] else {
            Issue.record("no update")
            return
        }
        #expect(try before.values == ["fax": "f", "name": "C1", "phone": 101])
        #expect(try after.values == ["phone": "101", "fullName": "C1", "newsletter": true])
        #expect(event.version(ofChange: 0) == 2)
        #expect(
            event.additions(toChange: 0)["+evolved"] == ["fax", "name", "phone", "fullName"])
        let schema = try #require(event.schemas["Customer"])
        #expect(schema.version == 2)
        #expect(schema.steps[0].steps.count == 4)
        #expect(schema.uniqueIndexes == [["fullName"]])
        // Only once.
        try store.write { try $0.update(V2.Customer.self, 2) { $0.phone = "9" } }
        #expect(try store.event(3)?.schemas.isEmpty == true)
    }

    @Test(arguments: [false, true])
    func `keeps versions over openings, with a checkpoint or without`(isFolded: Bool) throws {
        var store = try v2()
        try store.write { try $0.update(V2.Customer.self, 1) { $0.phone = "7" } }
        try store.close()
        if isFolded {
            try FileManager.default.removeItem(
                at: directory.store.appending(path: "checkpoint.sqlite"))
        }
        store = try v3()
        // Those that the oldest record needs.
        let steps = [EvolutionStep(from: 1, to: 2), EvolutionStep(from: 2, to: 3)]
        #expect(store.recovery.evolution == ["Customer": steps])
        let versions = try (1...3).map { id in
            try #require(store.snapshot.tables[0].row(RecordID(id))).version
        }
        #expect(versions == [2, 1, 1])
        #expect(try store.all(V3.Customer.self, where: \.tier == "basic").map(\.id) == [1, 2, 3])
        try store.close()
        let archive = try Archive(at: directory.store)
        #expect(archive.verify().problems == [])
    }

    @Test(arguments: [false, true])
    func `reports the steps of the oldest record that is left`(isFolded: Bool) throws {
        func reopen(_ change: (inout WriteTransaction) throws -> Void) throws -> [String] {
            var store = try v2()
            try store.write { try change(&$0) }
            try store.close()
            if isFolded {
                try FileManager.default.removeItem(
                    at: directory.store.appending(path: "checkpoint.sqlite"))
            }
            store = try v2()
            defer { try? store.close() }
            #expect(store.recovery.backup == nil)
            return store.recovery.evolution["Customer"]?.map(\.description) ?? []
        }
        #expect(try reopen { try $0.update(V2.Customer.self, 1) { $0.phone = "7" } } == ["1 → 2"])
        #expect(try reopen { try $0.delete(V2.Customer.self, 2) } == ["1 → 2"])
        #expect(try reopen { try $0.update(V2.Customer.self, 3) { $0.phone = "9" } } == [])
    }

    @Test func `refuses a careless type with the code that mends it`() throws {
        let before = try directory.contents()
        let error = failure(as: StoreError.self) {
            _ = try Store(at: directory.store, entities: V2.Careless.self)
        }
        #expect(error?.code == .schemaMismatch)
        let message = error?.message ?? ""
        #expect(message.contains(".rename(\"name\", to: \"fullName\")"), "\(message)")
        #expect(message.contains(".add(\"newsletter\", false)"), "\(message)")
        #expect(message.contains(".retype(\"phone\", .integerToText)"), "\(message)")
        #expect(message.contains("static let evolution: Evolution<Careless> = [.version(2) {"))
        #expect(message.contains("static let prototype = Careless("))
        #expect(try directory.contents() == before)
        var options = Store.Options()
        options.onSchemaChange = .report
        let store = try Store(at: directory.store, entities: V2.Careless.self, options: options)
        #expect(
            store.recovery.schemaDifferences.map(\.field).sorted() == [
                "fullName", "newsletter", "phone",
            ])
    }

    @Test func `names the record that a step cannot bring on`() throws {
        var store = try Store(at: directory.store, entities: V1.Customer.self)
        try store.write { try $0.insert(V1.Customer(id: 4, name: "Bad", phone: 1)) }
        try store.close()
        store = try v3()
        let error = failure(as: StoreError.self) { _ = try store.get(V3.Customer.self, 4) }
        #expect(error?.code == .evolutionFailed)
        #expect(error?.place.ids == [try RecordID(encoding: 4)])
        #expect(error?.message.contains("version 3") == true)
        #expect(error?.message.contains("\"Customer\"") == true)
        #expect(
            code { _ = try store.all(V3.Customer.self, where: \.tier == "basic") }
                == .evolutionFailed)
        #expect(
            code { try store.write { try $0.update(V3.Customer.self, 4) { $0.tier = "x" } } }
                == .evolutionFailed)
        #expect(store.sequence == 2)
        // Deleting needs no step.
        try store.write { try $0.delete(V3.Customer.self, 4) }
        #expect(try store.all(V3.Customer.self, where: \.tier == "basic").count == 3)
    }

    @Test func `keeps a copy of what was there before the first write of a newer shape`() throws {
        var store = try v2()
        let name = try #require(store.recovery.backup)
        let copy = directory.store.appending(path: name)
        // Reading makes none, nor does a block that changes nothing.
        #expect(try store.count(V2.Customer.self) == 3)
        try store.write { _ = try $0.delete(V2.Customer.self, 9) }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        #expect(throws: CancellationError.self) {
            try store.write { tx in
                try tx.update(V2.Customer.self, 1) { $0.phone = "7" }
                throw CancellationError()
            }
        }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        // Nor does one that a hook refuses.
        let hook = store.willCommit { _ in throw CancellationError() }
        #expect(throws: CancellationError.self) {
            try store.write { try $0.update(V2.Customer.self, 1) { $0.phone = "7" } }
        }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        hook.cancel()
        try store.write { try $0.update(V2.Customer.self, 1) { $0.phone = "7" } }
        #expect(try Archive(at: copy).sequence == 1)
        let copied = try directory.contents().keys.filter { $0.contains("backups/") }.sorted()
        try store.write { try $0.update(V2.Customer.self, 2) { $0.phone = "8" } }
        try store.close()
        store = try v2()
        #expect(store.recovery.backup == nil)
        try store.write { try $0.update(V2.Customer.self, 2) { $0.phone = "9" } }
        #expect(
            try directory.contents().keys.filter { $0.contains("backups/") }.sorted() == copied)
        try store.close()
        let old = try Store(at: copy, entities: V1.Customer.self)
        #expect(try old.get(V1.Customer.self, 1)?.fax == "f")
    }

    @Test func `keeps a copy beside that of a history which was erased`() throws {
        var store = try v2()
        let erased = try #require(store.recovery.backup)
        try store.write { try $0.update(V2.Customer.self, 1) { $0.phone = "7" } }
        try store.close()
        try Store.destroy(at: directory.store)
        let first = try Store(at: directory.store, entities: V1.Customer.self)
        try first.write { try $0.insert(V1.Customer(id: 9, name: "C9", phone: 9)) }
        try first.close()
        store = try v2()
        #expect(store.recovery.backup == "\(erased).2")
        try store.write { try $0.update(V2.Customer.self, 9) { $0.phone = "8" } }
        try store.close()
        let copies = [erased, "\(erased).2"].map { directory.store.appending(path: $0) }
        let counts = try copies.map { try Archive(at: $0).snapshot().records("Customer").count }
        #expect(counts == [3, 1])
    }

    @Test func `refuses an older version of the app past a step that does more than add`() throws {
        let store = try v2()
        try store.write { try $0.update(V2.Customer.self, 1) { $0.phone = "7" } }
        try store.close()
        let before = try directory.contents()
        let error = failure(as: StoreError.self) {
            _ = try Store(at: directory.store, entities: V1.Customer.self)
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("rename(\"name\", to: \"fullName\")") == true)
        #expect(try directory.contents() == before)
    }

    @Test func `gives a column the kind of the newest version`() throws {
        let store = try v2()
        try store.write { try $0.update(V2.Customer.self, 1) { $0.phone = "+49 7" } }
        try store.close()
        let rows = try Shell.run([
            "sqlite3", directory.store.appending(path: "checkpoint.sqlite").path,
            "SELECT id, phone, _version, typeof(phone) FROM Customer ORDER BY id",
        ])
        let text = String(decoding: rows, as: UTF8.self)
        #expect(text == "1|+49 7|2|text\n2|102|1|text\n3|103|1|text\n", "\(text)")
        let archive = try Archive(at: directory.store)
        #expect(archive.verify().problems == [])
        #expect(try archive.tables()[0].columns.first { $0.field == "phone" }?.kind == "text")
        _ = try v2()
    }

    @Test func `gives a new column the kind of the newest version, if an old record is the first`()
        throws
    {
        var store = try v2()
        try store.write { try $0.update(V2.Customer.self, 2) { $0.phone = "+49 7" } }
        try store.close()
        let checkpoint = directory.store.appending(path: "checkpoint.sqlite")
        try FileManager.default.removeItem(at: checkpoint)
        store = try v2()
        try store.close()
        let lines = try Shell.lines(
            "sqlite3", checkpoint.path, "SELECT id, phone, typeof(phone) FROM Customer ORDER BY id")
        #expect(lines == ["1|101|text", "2|+49 7|text", "3|103|text"])
        let archive = try Archive(at: directory.store)
        #expect(archive.verify().problems == [])
        #expect(try archive.tables()[0].columns.first { $0.field == "phone" }?.kind == "text")
    }
}
