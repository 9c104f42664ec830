import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite(.mayHang) struct `A live query` {
    @Test(arguments: Medium.allCases)
    func `S-122: has a current result for each event`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        var results = store.live(User.self).makeAsyncIterator()
        #expect(try await results.next() == [])
        try await store.write { try $0.insert(User.john) }
        #expect(try await results.next() == [.john])
        try await store.write { tx in try tx.update(User.self, User.john.id) { $0.age = 41 } }
        #expect(try await results.next()?.map(\.age) == [41])
        try await store.write { _ = try $0.delete(User.john) }
        #expect(try await results.next() == [])
    }

    @Test(arguments: Medium.allCases)
    func `S-122: has one result for an event of many changes`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        var results = store.live(Account.self, sortedBy: \.amount).makeAsyncIterator()
        #expect(try await results.next() == [])
        try await store.write { tx in
            for id in 1...100 { try tx.insert(Account(id: id, amount: -id)) }
            try tx.delete(Account.self, 100)
        }
        #expect(try await results.next()?.map(\.id) == (1...99).reversed())
        try await store.write { try $0.insert(Pet()) }
        try await store.write { _ = try $0.deleteAll(Account.self) }
        #expect(try await results.next() == [])
    }

    @Test(arguments: Medium.allCases)
    func `S-122: shows a slow reader the newest result only`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        var results = store.live(Account.self).makeAsyncIterator()
        #expect(try await results.next() == [])
        for id in 1...100 { try await store.write { try $0.insert(Account(id: id)) } }
        #expect(try await results.next()?.count == 100)
        try await store.write { try $0.insert(Account(id: 0)) }
        #expect(try await results.next()?.count == 101)
    }

    @Test(arguments: Medium.allCases)
    func `S-123: keeps its sort and its limit`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        try await store.write { tx in
            try tx.insert((1...9).map { Account(id: $0, amount: $0 * 10) })
        }
        let query = store.live(
            Account.self, where: \.amount < 80, sortedBy: [.descending(\.amount)], limit: 3)
        var results = query.makeAsyncIterator()
        #expect(try await results.next()?.map(\.amount) == [70, 60, 50])
        try await store.write { try $0.insert(Account(id: 10, amount: 65)) }
        #expect(try await results.next()?.map(\.amount) == [70, 65, 60])
        try await store.write { _ = try $0.delete(Account.self, 7) }
        #expect(try await results.next()?.map(\.amount) == [65, 60, 50])
        try await store.write { tx in try tx.update(Account.self, 6) { $0.amount = 90 } }
        #expect(try await results.next()?.map(\.amount) == [65, 50, 40])
    }

    @Test(arguments: Medium.allCases)
    func `S-124: may want only some kinds of change`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        var inserts = store.live(Account.self, on: .inserts).makeAsyncIterator()
        var others = store.live(Account.self, on: [.updates, .deletes]).makeAsyncIterator()
        #expect(try await inserts.next() == [])
        #expect(try await others.next() == [])
        try await store.write { try $0.insert(Account(id: 1)) }
        #expect(try await inserts.next()?.map(\.id) == [1])
        try await store.write { tx in try tx.update(Account.self, 1) { $0.amount = 5 } }
        #expect(try await others.next()?.map(\.amount) == [5])
        try await store.write { try $0.insert(Account(id: 2)) }
        #expect(try await inserts.next()?.map(\.amount) == [5, 0])
        try await store.write { _ = try $0.delete(Account.self, 1) }
        #expect(try await others.next()?.map(\.id) == [2])
    }

    @Test(arguments: Medium.allCases)
    func `S-126: does not keep its store, and ends after the last result`(
        medium: Medium
    ) async throws {
        let home = try Home(medium)
        weak var released: Store?
        var results: LiveQuery<User>.AsyncIterator
        do {
            let store = try home.open()
            released = store
            results = store.live(User.self).makeAsyncIterator()
            #expect(try await results.next() == [])
            try store.writeSync { try $0.insert(User.john) }
            try store.close()
        }
        #expect(released == nil)
        #expect(try await results.next() == [.john])
        #expect(try await results.next() == nil)
        #expect(try await results.next() == nil)
    }

    @Test(arguments: Medium.allCases)
    func `S-126: ends with the task that reads it`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let isReading = Gate()
        let reader = Task {
            var count = 0
            for try await _ in store.live(User.self) {
                count += 1
                isReading.open()
            }
            return count
        }
        try await Caller.background.run { isReading.pass() }
        reader.cancel()
        #expect(try await reader.value == 1)
        try await store.write { try $0.insert(User.john) }
    }

    @Test(arguments: Medium.allCases)
    func `S-076: gets no errors of another query`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let filter = Filter<Account> { if $0.amount < 0 { throw Refused() } else { true } }
        var refusing = store.live(Account.self, where: filter).makeAsyncIterator()
        var other = store.live(Account.self).makeAsyncIterator()
        #expect(try await refusing.next() == [])
        #expect(try await other.next() == [])
        try await store.write { try $0.insert(Account(id: 1, amount: -1)) }
        await #expect(throws: StoreError(.filterFailed, "")) { try await refusing.next() }
        #expect(try await refusing.next() == nil)
        #expect(try await other.next()?.count == 1)
    }
}
