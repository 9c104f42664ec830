import Foundation
import Skyros
import TestSupport
import Testing

// The code of docs/migrating/SwifteroidStore.md; `MigrationGuideTests` compares the two.

private struct User: Entity, Equatable {
    static let entityName = "UserModel"
    var id = UUID()
    var name: String
}

private struct Author: Entity, Equatable {
    var id = UUID()
    var name: String
}

private struct Book: Entity, Equatable {
    var id = UUID()
    var title: String
    var publisher: String?
    var authors: [Ref<Author>] = []
    var user: Ref<User>?
    static let indexes: [Index<Book>] = [.on(\.title)]
    static let relations: [Relation<Book>] = [
        .toMany(\.authors, onDelete: .remove),
        .to(\.user, onDelete: .nullify),
    ]
}

@Suite struct `The guide from Swifteroid's Store` {
    private let directory: TemporaryDirectory
    private let store: Store
    private let books = ["A", "B", "C"].map { Book(title: $0) }
    private let ann = User(name: "Ann")
    private let bob = User(name: "Bob")

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(at: directory.store, entities: User.self, Author.self, Book.self)
    }

    @Test func `opens`() throws {
        let url = directory.url.appending(path: "a/b/Library.skyros")
        let store = try Store(at: url, entities: User.self, Author.self, Book.self)
        Store.default = store
        Store.default = nil
        try store.close()
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `saves and loads`() throws {
        let book = Book(title: "Lavinia")
        try store.write { try $0.upsert(book) }
        try store.write { try $0.upsert(books) }
        #expect(try store.count(Book.self) == 4)
        let all = try store.all(Book.self)
        let page = try store.all(Book.self, sortedBy: [.ascending(\.title)], offset: 2, limit: 1)
        #expect(all.count == 4 && page == [books[2]])
        let found = try store.all(Book.self, where: \.title == "Lavinia")
        var request = FetchRequest<Book>(where: \.publisher == nil, limit: 100)
        request.limit = 2
        let some = try store.fetch(request)
        #expect(found == [book] && some.count == 2)
        let (current, missing) = try store.refresh(books + [Book(title: "unsaved")])
        for id in missing { print("not stored:", id) }
        #expect(current == books && missing.count == 1)
        let isStored = try store.isStored(book)
        let areStored = try store.exists(Book.self, books.map(\.id))
        #expect(isStored && areStored)
        try store.write { tx in
            try tx.set(Book.self, book.id, ["title": "Lavinia", "publisher": "Harcourt"])
        }
        let publisher = try store.value(of: "publisher", in: Book.self, book.id, as: String?.self)
        #expect(publisher == "Harcourt")
        let shelf = store.objects(Book.self)
        try shelf.upsert(book).upsert(books[0])
        let same = try shelf.refreshed([book])
        #expect(same.count == 1)
        try store.write { tx in
            try tx.delete(book)
            try tx.delete(books)
        }
        #expect(try store.count(Book.self) == 0)
        try store.write { try $0.upsert(book) }
        let entries = try store.history(of: Book.self, book.id)
        #expect(entries.map(\.kind).suffix(2) == [.deleted, .inserted])
    }

    @Test func `relates records`() throws {
        let authors = [Author(name: "Ursula"), Author(name: "Italo")]
        let book = Book(title: "Essays", authors: authors.map(\.ref), user: ann.ref)
        try store.write { tx in
            try tx.insert(book)
            try tx.insert(authors)
            try tx.insert([ann, bob])
        }
        let writers = try store.get(book.authors)
        let reader = try store.get(book.user)
        let borrowed = try store.all(Book.self, referring: \.user, to: ann.ref)
        #expect(writers == authors && reader == ann && borrowed == [book])
        let flat = try store.graph(of: book.ref, following: [])
        let level = try store.graph(of: book.ref, following: [.forward(\Book.authors)])
        let whole = try store.graph(of: book.ref, following: [.allForward(), .allInverse()])
        print(level[book.ref]?.title ?? "-", level[book.authors].map(\.name))
        #expect(flat.count == 1 && level.count == 3 && whole.count == 4)
        try store.write { tx in
            try tx.assign([book.ref], to: bob.ref, by: \.user)
        }
        #expect(try store.all(Book.self, referring: \.user, to: ann.ref).isEmpty)
        try store.write { try $0.delete(bob) }
        let user = try store.get(Book.self, book.id)?.user
        #expect(user == nil)
        do {
            try store.write { try $0.insert(Book(title: "Lost", user: bob.ref)) }
        } catch let error as StoreError where error.code == .brokenReference {
            print(error.place.references)
        }
        #expect(try store.count(Book.self) == 1)
    }

    @Test func `groups writes`() throws {
        try store.write(by: "import", because: "first shelf") { tx in
            try tx.insert(ann)
            for book in books { try tx.insert(book) }
        }
        #expect(store.sequence == 1)
        do {
            try store.write { try $0.update(books + [Book(title: "unsaved")]) }
        } catch let error as StoreError where error.code == .notFound {
            print(error.place.ids)
        }
        #expect(store.sequence == 1)
        let hook = store.willCommit { commit in
            let count = try commit.changes(of: Book.self).count
            print("about to save \(count) books")
        }
        withExtendedLifetime(hook) {}
    }

    @MainActor @Test func `observes`() async throws {
        let (store, books) = (store, books)
        let newest = LiveResult(store.live(Book.self, sortedBy: \.title, limit: 6))
        print(newest.values.map(\.title))
        #expect(newest.values.isEmpty)
        let changes = store.changes(of: Book.self, on: [.inserts, .updates])
        let follower = Task {
            for try await event in changes {
                for change in event.changes {
                    print(try change.before?.title ?? "-", try change.after?.title ?? "-")
                }
                break
            }
        }
        try await store.write { try $0.insert(books) }
        try await follower.value
        for try await titles in store.live(Book.self, sortedBy: \.title, limit: 2, on: .inserts) {
            print(titles.map(\.title))
            break
        }
        newest.stop()
    }
}
