import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@Suite struct `A collection of values` {
    private let accounts = (1...9).map { Account(id: $0, amount: 10 * $0) }

    private func filled(_ medium: Medium) throws -> (home: Home, store: Store) {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(accounts) }
        return (home, store)
    }

    @Test(arguments: Medium.allCases)
    func `S-093: comes back as equal structs`(medium: Medium) throws {
        let (home, store) = try filled(medium)
        try store.write { try $0.insert([User.john, .jane]) }
        let again = try home.reopened(store)
        #expect(try again.all(Account.self) == accounts)
        #expect(try again.all(User.self, sortedBy: \.firstname) == [.jane, .john])
    }

    @Test(arguments: Medium.allCases)
    func `S-094: is counted, fetched and searched`(medium: Medium) throws {
        let (_, store) = try filled(medium)
        #expect(try store.count(Account.self) == 9)
        #expect(try store.all(Account.self) == accounts)
        let request = FetchRequest<Account>(where: \.amount > 60, sortedBy: [.descending(\.amount)])
        #expect(try store.fetch(request).map(\.id) == [9, 8, 7])
        #expect(try store.get(Account.self, 4) == accounts[3])
        #expect(try store.first(Account.self, where: \.amount == 50) == accounts[4])
    }

    @Test(arguments: Medium.allCases)
    func `S-095: is saved with one value or with many in one event`(medium: Medium) throws {
        let (home, store) = try filled(medium)
        #expect(store.sequence == 1)
        let (_, receipt) = try store.writeWithReceipt(durability: .durable) {
            try $0.insert(Account(id: 10))
        }
        #expect(receipt.sequence == 2)
        #expect(receipt.durability == .durable)
        let again = try home.reopened(store)
        #expect(try again.count(Account.self) == 10)
        #expect(try again.allEvents.map(\.changes.count) == [9, 1])
    }

    @Test(arguments: Medium.allCases)
    func `S-096: is updated only where it exists`(medium: Medium) throws {
        let (_, store) = try filled(medium)
        try store.write { try $0.update(Account(id: 1, amount: -1)) }
        try store.write { try $0.update([2, 3].map { Account(id: $0, amount: -1) }) }
        #expect(try store.count(Account.self, where: \.amount == -1) == 3)
        let update = { try store.write { try $0.update([4, 77, 5].map { Account(id: $0) }) } }
        let error = #expect(throws: StoreError.self) { try update() }
        #expect(error?.code == .notFound)
        #expect(error?.place.ids == [RecordID(77)])
        #expect(code { try store.write { try $0.update(Account(id: 78)) } } == .notFound)
        #expect(store.sequence == 3)
        #expect(try store.get(Account.self, 4)?.amount == 40)
    }

    @Test(arguments: Medium.allCases)
    func `S-097: has one value for each identity`(medium: Medium) throws {
        let (home, store) = try filled(medium)
        for amount in 1...3 { try store.write { try $0.upsert(Account(id: 10, amount: amount)) } }
        let failures = Locked(0)
        inParallel(80, threads: 8) { number in
            do {
                try store.write { try $0.upsert(Account(id: 11, amount: number)) }
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        let again = try home.reopened(store)
        #expect(try again.count(Account.self) == 11)
        #expect(try again.get(Account.self, 10)?.amount == 3)
        let written = try again.history(of: Account.self, 11)
        #expect(written.count == 80)
        #expect(
            try again.get(Account.self, 11)?.amount
                == written.last?.changes.first { $0.field == "amount" }?.after?.integer)
    }

    @Test(arguments: Medium.allCases)
    func `S-098: loses the value with an equal identity, or all`(medium: Medium) throws {
        let (_, store) = try filled(medium)
        #expect(try store.write { try $0.delete(Account(id: 3, amount: 999)) })
        #expect(try store.get(Account.self, 3) == nil)
        #expect(try store.write { try $0.delete(Account.self, [1, 2, 77]) } == 2)
        try store.write { try $0.insert(Array(accounts[..<2])) }
        #expect(try store.write { try $0.deleteAll(Account.self) } == 8)
        #expect(try store.count(Account.self) == 0)
    }

    @Test(arguments: Medium.allCases)
    func `S-104: is inserted or updated, and unchanged values make no event`(medium: Medium) throws
    {
        let home = try Home(medium)
        let store = try home.open()
        for _ in 0..<2 {
            try store.write { try $0.upsert(accounts) }
            #expect(try store.all(Account.self) == accounts)
            #expect(store.sequence == 1)
        }
        var changed = accounts
        changed[4].amount = 0
        try store.write { try $0.upsert(changed) }
        let again = try home.reopened(store)
        #expect(try again.all(Account.self) == changed)
        #expect(try again.allEvents.map(\.changes.count) == [9, 1])
    }

    @Test(arguments: Medium.allCases)
    func `S-105: is loaded with a sort, an offset and a limit`(medium: Medium) throws {
        let (_, store) = try filled(medium)
        let found = try store.all(
            Account.self, sortedBy: [.descending(\.amount)], offset: 2, limit: 1)
        #expect(found.map(\.id) == [7])
    }

    @Test(arguments: Medium.allCases)
    func `S-107: is deleted in one event, and what is not stored is passed over`(medium: Medium)
        throws
    {
        let (_, store) = try filled(medium)
        let deleted = try store.write { try $0.delete(accounts + [Account(id: 77)]) }
        #expect(deleted == 9)
        #expect(try store.all(Account.self) == [])
        #expect(store.sequence == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-108: says whether a value exists`(medium: Medium) throws {
        let (_, store) = try filled(medium)
        #expect(try store.exists(Account.self, 1))
        #expect(try store.exists(Account.self, 77) == false)
        #expect(try store.exists(Account.self, [1, 77]) == false)
        #expect(try store.exists(Account.self, [1, 9]))
        #expect(try store.exists(Account.self, [Int]()) == false)
    }

    @Test(arguments: Medium.allCases)
    func `S-106: is refreshed in its order, and what is missing is listed`(medium: Medium) throws {
        let (home, store) = try filled(medium)
        let held = [accounts[4], accounts[2], Account(id: 77), accounts[0], accounts[8]]
        try store.write { tx in
            try tx.update(Account.self, 3) { $0.amount = 0 }
            try tx.delete(Account.self, 9)
        }
        let (current, missing) = try home.reopened(store).refresh(held)
        #expect(current == [accounts[4], Account(id: 3, amount: 0), accounts[0]])
        #expect(missing == [77, 9])
    }

    @Test(arguments: Medium.allCases)
    func `S-113: keeps the order in which an owner lists it`(medium: Medium) throws {
        struct Book: Entity {
            var id: String
            var authorIDs: [Int]
        }
        var random = RandomSource(seed: 113)
        let book = Book(id: "b", authorIDs: (1...25).shuffled(using: &random))
        let directory = try TemporaryDirectory()
        func open() throws -> Store {
            medium == .disk
                ? try Store(at: directory.store, entities: Book.self)
                : try Store(inMemory: Book.self)
        }
        var store = try open()
        try store.write { try $0.insert(book) }
        #expect(try store.get(Book.self, "b")?.authorIDs == book.authorIDs)
        if medium == .disk {
            try store.close()
            store = try open()
        }
        #expect(try store.get(Book.self, "b")?.authorIDs == book.authorIDs)
    }
}
