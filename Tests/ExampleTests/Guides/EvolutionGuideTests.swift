import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

// The code about changing types of SwifteroidStore.md, Skopelos.md and Skiathos.md in
// docs/migrating; `MigrationGuideTests` compares the two.

private enum WithDefault {
    struct Book: Entity {
        var id: Int
        var title: String
        var author: String
        var pages: Int
        static let prototype = Book(id: 0, title: "", author: "", pages: 0)
    }

    struct User: Entity {
        var id = UUID()
        var firstname: String?
        var lastname: String?
        var visitCount: Int
        static let prototype = User(visitCount: 0)
    }
}

private struct OldBook: Entity {
    static let entityName = "Book"
    var id: Int
    var title: String
    var author: String
}

private struct Book: Entity, Equatable {
    var id: Int
    var title: String
    var writer: String
    var shelf: String
    static let evolution: Evolution<Book> = [
        .version(2) { .rename("author", to: "writer") },
        .version(3) { record in
            record["shelf"] = .text(String(record["title"]?.text?.prefix(1) ?? ""))
        },
    ]
}

private struct OldUser: Entity {
    static let entityName = "User"
    var id = UUID()
    var firstname: String?
    var lastname: String?
}

private struct User: Entity {
    var id = UUID()
    var firstname: String?
    var surname: String?
    static let evolution: Evolution<User> = [
        .version(2) { .rename("lastname", to: "surname") }
    ]
}

@Suite struct `The guides to changing types` {
    private let directory: TemporaryDirectory
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.store
    }

    private func write<E: Entity>(_ value: E) throws {
        let store = try Store(at: url, entities: E.self)
        try store.write { try $0.insert(value) }
        try store.close()
    }

    @Test func `add a property`() throws {
        try write(OldBook(id: 1, title: "Lavinia", author: "Ursula K. Le Guin"))
        let books = try Store(at: url, entities: WithDefault.Book.self)
        #expect(try books.get(WithDefault.Book.self, 1)?.pages == 0)
        try books.close()
        try Store.destroy(at: url)
        try write(OldUser(firstname: "Jane"))
        let users = try Store(at: url, entities: WithDefault.User.self)
        #expect(try users.first(WithDefault.User.self)?.visitCount == 0)
    }

    @Test func `list steps`() throws {
        try write(OldUser(lastname: "Doe"))
        #expect(try Store(at: url, entities: User.self).first(User.self)?.surname == "Doe")
        try Store.destroy(at: url)
        try write(OldBook(id: 1, title: "Lavinia", author: "Ursula K. Le Guin"))
        let store = try Store(at: url, entities: Book.self)
        for (entity, steps) in store.recovery.evolution { print(entity, steps) }
        if let backup = store.recovery.backup {
            print("the first write copies the store to \(backup)")
        }
        #expect(store.recovery.evolution["Book"]?.map(\.description) == ["1 → 2", "2 → 3"])
        #expect(store.recovery.backup != nil)
        let book = Book(id: 1, title: "Lavinia", writer: "Ursula K. Le Guin", shelf: "L")
        #expect(try store.all(Book.self) == [book])
    }

    @Test func `refuse a store of a newer version, or set it aside`() async throws {
        try write(Book(id: 1, title: "Lavinia", writer: "Ursula K. Le Guin", shelf: "L"))
        #expect(code { _ = try Store(at: url, entities: OldBook.self) } == .schemaMismatch)
        do {
            _ = try Store(at: url, entities: OldBook.self)
        } catch let error as StoreError where error.code == .schemaMismatch {
            print(error.message)
        }
        @Sendable func askToStartAnew(because message: String) async -> Bool {
            !message.isEmpty
        }
        let store = try await Store.open(at: url, entities: OldBook.self) { error in
            await askToStartAnew(because: error.message) ? .setAside : .abort
        }
        if let aside = store.recovery.setAside {
            print("the old store is in \(aside.path), because: \(aside.error)")
        }
        #expect(store.recovery.setAside != nil)
        #expect(try store.count(OldBook.self) == 0)
    }

    @Test func `begin anew where a store cannot be opened`() async throws {
        try write(Book(id: 1, title: "Lavinia", writer: "Ursula K. Le Guin", shelf: "L"))
        let store = try await Store.open(at: url, entities: User.self) { error in
            print("starting anew:", error.message)
            return .setAside
        }
        if let aside = store.recovery.setAside {
            print("the old store is in \(aside.path), because: \(aside.error)")
        }
        #expect(store.recovery.setAside?.error.code == .unknownEntity)
        #expect(try store.count(User.self) == 0)
    }

    @Test func `build a store of each version`() throws {
        let folder = directory.url.appending(path: "Stores")
        try SchemaGuard(in: folder, entities: Book.self)
            .recording("1.0.0", as: OldBook.self) { tx in
                try tx.insert(OldBook(id: 1, title: "Lavinia", author: "Ursula K. Le Guin"))
            }
            .recording("1.1.0") { tx in
                try tx.insert(Book(id: 1, title: "Emma", writer: "Jane Austen", shelf: "E"))
            }
            .check()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }
}
