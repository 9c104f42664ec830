import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

@testable import Library

@Suite struct `A library's app` {
    private let directory: TemporaryDirectory
    private let prideAndPrejudice = "0141439513"
    private let middlemarch = "0141439548"

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A day with a release.
    private func run(_ release: Int) throws {
        switch release {
        case 1: try run(Release1.User.self, Release1.Book.self, seed: Release1.seed)
        case 2: try run(Release2.User.self, Release2.Book.self, seed: Release2.seed)
        default: try run(Release3.User.self, Release3.Book.self, seed: Release3.seed)
        }
    }

    private func run(
        _ types: any Entity.Type..., seed: (inout WriteTransaction) throws -> Void
    ) throws {
        let store = try Store(at: directory.store, entities: types)
        try store.write(by: "librarian", seed)
        try store.close()
    }

    private func open() throws -> LendingDesk {
        try LendingDesk(at: directory.store, by: "grace")
    }

    private func steps(_ recovery: RecoveryReport, _ entity: String) -> [String] {
        recovery.evolution[entity]?.map(\.description) ?? []
    }

    // MARK: Newer releases

    @Test func `reads a store of release 1`() throws {
        try run(1)
        let desk = try open()
        #expect(steps(desk.store.recovery, "User") == ["1 → 2", "2 → 3"])
        #expect(steps(desk.store.recovery, "Book") == ["1 → 2", "2 → 3", "3 → 4"])
        let ada = User(
            id: 1, firstName: "Ada", lastName: "Lovelace", phone: "5550101", newsletter: false,
            loansMax: 3)
        #expect(try desk.users(lastName: "Lovelace") == [ada])
        let book = Book(
            id: middlemarch, title: "Middlemarch", author: "George Eliot", shelf: "E")
        #expect(try desk.books(onShelf: "E") == [book])
        #expect(try desk.loans(of: ada.ref).map(\.id) == [prideAndPrejudice])
        #expect(desk.store.sequence == 1)
    }

    @Test func `reads a store of release 1 in release 2, and in release 3 after it`() throws {
        try run(1)
        let second = try Store(
            at: directory.store, entities: Release2.User.self, Release2.Book.self)
        let ada = try #require(try second.get(Release2.User.self, 1))
        #expect(ada.fullName == "Ada Lovelace" && ada.phone == "5550101" && !ada.newsletter)
        #expect(try second.get(Release2.Book.self, middlemarch)?.author == "George Eliot")
        try second.write { tx in
            try tx.update(Release2.User.self, 2) { $0.newsletter = true }
        }
        try second.close()
        let third = try Store(
            at: directory.store, entities: Release3.User.self, Release3.Book.self)
        let users = try third.all(Release3.User.self, sortedBy: \.lastName)
        #expect(users.map(\.firstName) == ["Charles", "Ada"])
        #expect(users.map(\.newsletter) == [true, false])
        let lent = try third.all(Release3.Book.self, referring: \.borrower, to: Ref(1))
        #expect(lent.map(\.author) == ["Jane Austen"])
    }

    @Test func `reads what all releases have written to one store`() throws {
        for release in 1...3 { try run(release) }
        let desk = try open()
        let users = try desk.store.all(User.self)
        #expect(users.map(\.lastName) == ["Lovelace", "Babbage", "Shelley", "Brontë"])
        #expect(users.map(\.phone) == ["5550101", "5550201", "+445550301", "5550401"])
        #expect(users.map(\.newsletter) == [false, false, true, false])
        let books = try desk.store.all(Book.self, sortedBy: \.title)
        #expect(books.map(\.shelf) == ["S", "B", "E", "A"])
        #expect(books.map(\.borrower) == [Ref(3), Ref(4), nil, Ref(1)])
    }

    @Test(arguments: [(2, ["2 → 3"], ["2 → 3", "3 → 4"]), (3, [], ["3 → 4"])])
    func `applies the steps since the release that wrote the store`(
        release: Int, ofUsers: [String], ofBooks: [String]
    ) throws {
        try run(release)
        let desk = try open()
        #expect(steps(desk.store.recovery, "User") == ofUsers)
        #expect(steps(desk.store.recovery, "Book") == ofBooks)
        #expect(try desk.store.all(User.self).map(\.loansMax) == [3])
        #expect(try desk.store.all(Book.self).map(\.borrower) == [Ref(release + 1)])
    }

    @Test func `copies the store before the first write of a newer shape`() throws {
        try run(1)
        let desk = try open()
        let backup = try #require(desk.store.recovery.backup)
        try desk.lend(middlemarch, to: Ref(2))
        try desk.store.close()
        let copy = try Store(
            at: directory.store.appending(path: backup), entities: Release1.User.self,
            Release1.Book.self)
        #expect(try copy.get(Release1.User.self, 1)?.fax == "5550102")
        #expect(try open().store.recovery.backup == nil)
    }

    // MARK: The past

    @Test func `shows old states as today's types, and history as it was`() throws {
        try run(1)
        let desk = try open()
        try desk.giveBack(prideAndPrejudice)
        let then = try desk.books(asOf: 1)
        #expect(then.map(\.shelf) == ["A", "E"] && then.map(\.borrower) == [Ref(1), nil])
        let history = try desk.store.history(of: Book.self, prideAndPrejudice)
        #expect(
            try history[0].changes.map(\.field) == [
                "id", "title", "lentTo", "authorLastName", "authorFirstName",
            ])
        #expect(try desk.history(of: prideAndPrejudice)[1].contains("lentTo: 1 → "))
        #expect(history[1].actor == "grace" && history[1].reason == "given back")
    }

    @Test func `follows old and new events as changes of today's types`() async throws {
        try run(1)
        let desk = try open()
        try desk.lend(middlemarch, to: Ref(2))
        var events = desk.store.changes(of: Book.self, after: .zero).makeAsyncIterator()
        let added = try #require(try await events.next())
        #expect(try Set(added.changes.map { try $0.after?.shelf }) == ["A", "E"])
        let lent = try #require(try await events.next()?.changes.first)
        #expect(try lent.before?.shelf == "E" && lent.before?.borrower == nil)
        #expect(try lent.after?.borrower == Ref(2))
    }

    // MARK: Mistakes

    @Test func `is refused without steps, with the code to add`() throws {
        try run(1)
        let before = try directory.contents()
        let error = failure(as: StoreError.self) {
            _ = try Store(
                at: directory.store, entities: Careless.User.self, Careless.Book.self)
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.place.entity == "User")
        let message = try #require(error?.message)
        #expect(message.contains("static let evolution: Evolution<User> = [.version(2) {"))
        for step in [
            #".rename("name", to: "fullName")"#, #".retype("phone", .integerToText)"#,
            #".add("newsletter", false)"#,
        ] {
            #expect(message.contains(step), "\(message)")
        }
        #expect(try directory.contents() == before)
    }

    @Test func `is refused past the steps of a newer release`() throws {
        try run(3)
        // Release 4 that only reads leaves the store to release 3.
        try open().store.close()
        try Store(at: directory.store, entities: Release3.User.self, Release3.Book.self).close()
        let desk = try open()
        try desk.giveBack("014144114X")
        try desk.store.close()
        let error = failure(as: StoreError.self) {
            _ = try Store(
                at: directory.store, entities: Release3.User.self, Release3.Book.self)
        }
        #expect(error?.code == .schemaMismatch && error?.place.entity == "Book")
        #expect(try open().store.get(Book.self, "014144114X")?.borrower == nil)
    }

    @Test func `ends the loans of users who were deleted before there was a relation`() throws {
        try run(1)
        try run(Release1.User.self, Release1.Book.self) { try $0.delete(Release1.User.self, 1) }
        let desk = try open()
        #expect(try desk.store.get(Book.self, prideAndPrejudice)?.borrower == nil)
        #expect(try desk.history(of: prideAndPrejudice).last?.contains("was deleted") == true)
        try desk.store.close()
        #expect(try open().store.sequence == 3)
    }

    // MARK: Loans

    @Test func `lends a book once, and keeps its user until it is given back`() throws {
        try run(1)
        let desk = try open()
        try desk.lend(middlemarch, to: Ref(2))
        #expect(throws: LendingDesk.Refusal.isLent) { try desk.lend(middlemarch, to: Ref(1)) }
        #expect(code { try desk.delete(Ref(2)) } == .deletionDenied)
        try desk.giveBack(middlemarch)
        try desk.delete(Ref(2))
        #expect(code { try desk.lend(middlemarch, to: Ref(2)) } == .brokenReference)
        #expect(try desk.store.get(Book.self, middlemarch)?.borrower == nil)
    }

    @Test func `lends as many books as the prototype allows`() throws {
        try run(1)
        let desk = try open()
        try desk.store.write { tx in
            for number in 1...4 {
                try tx.insert(Book(id: "\(number)", title: "", author: "", shelf: "X"))
            }
        }
        for number in 1...3 { try desk.lend("\(number)", to: Ref(2)) }
        #expect(throws: LendingDesk.Refusal.tooManyLoans) { try desk.lend("4", to: Ref(2)) }
        try desk.store.write { tx in
            try tx.update(User.self, 2) { $0.loansMax = 4 }
        }
        try desk.lend("4", to: Ref(2))
        #expect(try desk.loans(of: Ref(2)).count == 4)
    }

    // MARK: In the repository of the app

    @Test func `keeps a store of each release, and reads all of them`() throws {
        let folder = directory.url.appending(path: "Stores")
        let steps = try SchemaGuard(in: folder, entities: User.self, Book.self)
            .recording("1", as: Release1.User.self, Release1.Book.self, seed: Release1.seed)
            .recording("2", as: Release2.User.self, Release2.Book.self, seed: Release2.seed)
            .recording("3", as: Release3.User.self, Release3.Book.self, seed: Release3.seed)
            .recording("4") { tx in
                try tx.insert(
                    User(
                        id: 5, firstName: "Iris", lastName: "Murdoch", phone: "5550501",
                        newsletter: true, email: "iris@example.com", loansMax: 5))
            }
            .check()
        #expect(steps.keys.sorted() == ["1", "2", "3", "4"])
        #expect(steps["1"]?["Book"]?.count == 3 && steps["4"]?.isEmpty == true)

        let careless = SchemaGuard(in: folder, entities: Careless.User.self, Careless.Book.self)
        let error = failure(as: StoreError.self) { try careless.check() }
        #expect(error?.message.hasPrefix("the store of release 1: ") == true)
        #expect(error?.message.contains(#".rename("name", to: "fullName")"#) == true)
    }
}
