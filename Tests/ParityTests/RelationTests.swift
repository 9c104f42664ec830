import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A relation` {
    @Test(arguments: Medium.allCases)
    func `S-111: in a cycle is followed to its end, and records are the same by id`(
        medium: Medium
    ) throws {
        let library = try Library(medium)
        var store = try library.open()
        var user = Author(name: "Ursula")
        let book = Book(title: "Lavinia", author: user.ref)
        user.books = [book.ref]
        try store.write { tx in
            try tx.insert(user)
            try tx.insert(book)
        }
        store = try library.reopened(store)
        let graph = try store.graph(of: user.ref, following: [.allForward()])
        let first = try #require(graph[graph[user.ref]?.books.first])
        #expect(graph[first.author] == user)
        #expect(graph.count == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-111: of many to many is followed through 10 by 10 records`(medium: Medium) throws {
        let library = try Library(medium)
        var store = try library.open()
        let books = (0..<10).map { Book(title: "\($0)") }
        let authors = (0..<10).map { Author(name: "\($0)", books: books.map(\.ref)) }
        try store.write { tx in
            try tx.insert(books)
            try tx.insert(authors)
        }
        store = try library.reopened(store)
        let graph = try store.graph(
            of: authors[3].ref, following: [.forward(\Author.books), .inverse(\Author.books)])
        #expect(graph.count(Author.self) == 10)
        #expect(graph.count(Book.self) == 10)
        #expect(graph.all(Author.self, referring: \.books, to: books[7].ref).count == 10)
    }

    @Test(arguments: Medium.allCases)
    func `S-112: is followed not at all, for one level, or to the end`(medium: Medium) throws {
        let library = try Library(medium)
        var store = try library.open()
        let authors = ["a", "b", "c"].map { Author(name: $0) }
        let books = [
            Book(title: "x", author: authors[0].ref), Book(title: "y", author: authors[1].ref),
        ]
        try store.write { tx in
            try tx.insert(authors)
            try tx.insert(books)
            try tx.update(Author.self, authors[2].id) { $0.books = books.map(\.ref) }
        }
        store = try library.reopened(store)
        let root = authors[2].ref
        #expect(try store.graph(of: root, following: []).count == 1)

        let level = try store.graph(of: root, following: [.allForward(depth: 1)])
        #expect(level.count == 3)
        #expect(level[level[root]?.books ?? []] == books)
        #expect(level[books[0].author] == nil)

        let all = try store.graph(of: root, following: [.allForward()])
        #expect(Set(all.all(Author.self).map(\.name)) == ["a", "b", "c"])
        #expect(try store.graph(of: authors.map(\.ref), following: []).count == 3)
    }

    @Test(arguments: Medium.allCases)
    func `S-113: to many records keeps their order`(medium: Medium) throws {
        let library = try Library(medium)
        var store = try library.open()
        var random = RandomSource(seed: 113)
        let books = (0..<25).map { Book(title: "\($0)") }.shuffled(using: &random)
        let author = Author(books: books.map(\.ref))
        try store.write { tx in
            try tx.insert(books.reversed())
            try tx.insert(author)
        }
        for _ in 1...2 {
            let found = try #require(try store.get(author.ref))
            #expect(try store.get(found.books) == books)
            store = try library.reopened(store)
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-114: is replaced as a set, and what is set is taken from its owner`(
        medium: Medium
    ) throws {
        let library = try Library(medium)
        var store = try library.open()
        let books = (0..<4).map { Book(title: "\($0)") }
        let (a, b) = (Author(name: "a"), Author(name: "b"))
        try store.write { tx in
            try tx.insert([a, b])
            try tx.insert(books)
            try tx.assign(books[0...1].map(\.ref), to: a.ref, by: \.author)
            try tx.assign(books[0...1].map(\.ref), to: a.ref, in: \.books)
            try tx.assign([books[3].ref], to: b.ref, by: \.author)
        }
        try store.write { tx in
            try tx.assign(books[0...2].map(\.ref), to: b.ref, by: \.author)
            try tx.assign([books[2].ref, books[0].ref], to: b.ref, in: \.books)
        }
        store = try library.reopened(store)
        #expect(try store.all(Book.self, referring: \.author, to: a.ref).isEmpty)
        let titles = try store.all(
            Book.self, referring: \.author, to: b.ref, sortedBy: [.ascending(\.title)])
        #expect(titles.map(\.title) == ["0", "1", "2"])
        #expect(try store.get(books[3].ref)?.author == nil)
        #expect(try store.get(a.ref)?.books == [books[1].ref])
        #expect(try store.get(b.ref)?.books == [books[2].ref, books[0].ref])
    }

    @Test(arguments: Medium.allCases)
    func `S-115: to a deleted record becomes nil, and lists lose it`(medium: Medium) throws {
        let library = try Library(medium)
        var store = try library.open()
        let user = Author(name: "a")
        let books = (0..<3).map { Book(title: "\($0)", author: user.ref) }
        let other = Author(name: "b", books: books.map(\.ref))
        try store.write { tx in
            try tx.insert([user, other])
            try tx.insert(books)
        }
        try store.write(by: "alice") { tx in
            try tx.delete(user)
            try tx.delete(books[1])
        }
        store = try library.reopened(store)
        #expect(try store.all(Book.self).map(\.author) == [nil, nil])
        #expect(try store.get(other.ref)?.books == [books[0].ref, books[2].ref])
        #expect(store.sequence == 2)
        #expect(try store.allEvents.last?.changes.count == 5)
    }

    @Test(arguments: Medium.allCases)
    func `S-116: to a record that is not stored, and an unknown one, are refused`(
        medium: Medium
    ) throws {
        let library = try Library(medium)
        var store = try library.open()
        let unsaved = Author()
        let book = Book(title: "x", author: unsaved.ref)
        let error = failure(as: StoreError.self) { try store.write { try $0.insert(book) } }
        #expect(error?.code == .brokenReference)
        let reference = try #require(error?.place.references.first)
        #expect(reference.entity == "Book" && reference.field == "author")
        #expect(reference.id == RecordID(book.id))
        #expect(reference.target == "Author" && reference.targetID == RecordID(unsaved.id))
        let snapshot = store.snapshot
        let unknown = code {
            _ = try snapshot.records("Book", referringBy: "owner", to: RecordID(unsaved.id))
        }
        #expect(unknown == .unknownRelation)
        store = try library.reopened(store)
        #expect(store.sequence == 0)
        #expect(try store.count(Book.self) == 0)
    }
}
