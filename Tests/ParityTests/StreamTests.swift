import Foundation
import Skyros
import TestSupport
import Testing

@Suite(.mayHang) struct `A stream of changes` {
    @Test(arguments: Medium.allCases)
    func `S-125: has the values before and after each change`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let stream = store.changes()
        let reader = Task {
            var events: [Event] = []
            for try await event in stream {
                events.append(event)
                if events.count == 3 { break }
            }
            return events
        }
        let id = User.john.id
        try await store.write { try $0.insert(User.john) }
        try await store.write { tx in try tx.update(User.self, id) { $0.age = 41 } }
        try await store.write { try $0.delete(User.self, id) }
        let events = try await reader.value
        #expect(events.map(\.sequence) == [1, 2, 3])
        guard case .inserted(let first) = events[0].changes[0],
            case .updated(let entity, let updated, let before, let after) = events[1].changes[0],
            case .deleted(let last) = events[2].changes[0]
        else {
            Issue.record("\(events)")
            return
        }
        #expect(try first.decode(as: User.self) == .john)
        #expect(entity == "User")
        #expect(updated == RecordID(id))
        #expect(
            try FieldChange.list(before: before, after: after).map(\.description)
                == ["age: 40 → 41"])
        #expect(last["age"] == 41)
    }

    @Test(arguments: Medium.allCases)
    func `S-126: does not keep its store and ends with it`(medium: Medium) async throws {
        let home = try Home(medium)
        weak var released: Store?
        let stream: EventStream
        do {
            let store = try home.open()
            stream = store.changes()
            released = store
            #expect(released != nil)
        }
        #expect(released == nil)
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == nil)
    }

    @Test(arguments: Medium.allCases)
    func `S-126: ends with the task that reads it`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let stream = store.changes()
        let reader = Task {
            var count = 0
            for try await _ in stream { count += 1 }
            return count
        }
        reader.cancel()
        #expect(try await reader.value == 0)
        try await store.write { try $0.insert(User.john) }
    }
}

@Suite(.mayHang) struct `A stream of the changes of one entity` {
    private typealias Values = [[User?]]

    private func values(_ event: RecordChanges<User>?) throws -> Values {
        try event?.changes.map { try [$0.before, $0.after] } ?? []
    }

    @Test(arguments: Medium.allCases)
    func `S-125: has the whole values before and after each change`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        try await store.write { try $0.insert(User.jane) }
        var events = store.changes(of: User.self).makeAsyncIterator()
        var older = User.john
        older.age = 41
        let john = older
        try await store.write(by: "ada", because: "new") { try $0.insert(User.john) }
        try await store.write { tx in
            try tx.update(john)
            try tx.insert(Pet())
        }
        let first = try await events.next()
        #expect(try values(first) == [[nil, .john]])
        #expect(first?.sequence == 2)
        #expect(first?.metadata.actor == "ada")
        #expect(first?.metadata.reason == "new")
        #expect(first?.changes.map(\.kind) == [.inserted])
        #expect(first?.changes.map(\.id) == [RecordID(User.john.id)])
        #expect(try values(await events.next()) == [[.john, john]])
        try await store.write { _ = try $0.delete(john) }
        #expect(try values(await events.next()) == [[john, nil]])
        try await store.write { _ = try $0.deleteAll(User.self) }
        #expect(try values(await events.next()) == [[.jane, nil]])
    }

    @Test(arguments: Medium.allCases)
    func `S-125: leaves out events of other entities`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        var events = store.changes(of: User.self).makeAsyncIterator()
        try await store.write { try $0.insert(Pet()) }
        try await store.write { try $0.insert(Account(id: 1)) }
        try await store.write { try $0.insert(User.john) }
        #expect(try await events.next()?.sequence == 3)
    }

    @Test(arguments: Medium.allCases)
    func `S-124: may want only some kinds, and some records`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let kinds: ChangeKinds = [.updates, .deletes]
        let stream = store.changes(of: Account.self, where: \.amount > 10, on: kinds)
        try await store.write { try $0.insert([Account(id: 1), Account(id: 2, amount: 50)]) }
        for amount in [5, 20, 30, 0, 1] {
            try await store.write { tx in try tx.update(Account.self, 1) { $0.amount = amount } }
        }
        try await store.write { _ = try $0.deleteAll(Account.self) }
        try store.close()
        var amounts: [[Int?]] = []
        for try await event in stream {
            for change in event.changes {
                amounts.append([try change.before?.amount, try change.after?.amount])
            }
        }
        #expect(amounts == [[5, 20], [20, 30], [30, 0], [50, nil]])
    }

    @Test(arguments: Medium.allCases)
    func `S-125: can begin in the past`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        try await store.write { try $0.insert(User.john) }
        try await store.write { tx in try tx.update(User.self, User.john.id) { $0.age = 41 } }
        try await store.write { _ = try $0.delete(User.john) }
        var all = store.changes(of: User.self, after: 0).makeAsyncIterator()
        #expect(try values(await all.next()) == [[nil, .john]])
        #expect(try await all.next()?.changes.map(\.kind) == [.updated])
        var last = store.changes(of: User.self, after: 2).makeAsyncIterator()
        #expect(try await last.next()?.changes.map { try $0.before?.age } == [41])
        var none = store.changes(of: User.self, after: 5).makeAsyncIterator()
        for _ in 4...6 { try await store.write { try $0.upsert(Account(id: 1)) } }
        try await store.write { try $0.insert(Account(id: 2)) }
        try await store.write { try $0.insert(User.mia) }
        #expect(try values(await none.next()) == [[nil, .mia]])
    }
}
