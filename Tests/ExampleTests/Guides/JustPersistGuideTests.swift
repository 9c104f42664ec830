import Foundation
import Skyros
import TestSupport
import Testing

// The code of docs/migrating/JustPersist.md; `MigrationGuideTests` compares the two.

private struct User: Entity, Equatable {
    var id = UUID()
    var firstname: String?
    var lastname: String?
    var age: Int?
    var site: String?
    static let indexes: [Index<User>] = [.on(\.lastname)]
}

private struct Pet: Entity {
    var id = UUID()
    var name = ""
}

/// Edits users in a store, or in a child of one.
private struct UserService {
    let users: any RecordStore

    func rename(_ id: User.ID, to name: String) throws {
        try users.write { tx in
            try tx.update(User.self, id) { $0.lastname = name }
        }
    }
}

/// Adds users, wherever they are kept.
private struct SignUp {
    let data: any DataStore

    func add(_ user: User) throws {
        try data.transaction(by: "sign-up") { tx in
            try tx.insert(user)
        }
    }
}

@Suite struct `The guide from JustPersist` {
    private let directory: TemporaryDirectory
    private let store: Store
    private let user = User(firstname: "Jane", lastname: "Doe", age: 40, site: "https://doe.org")

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(at: directory.store, entities: User.self, Pet.self)
        let user = user
        let john = User(firstname: "John", lastname: "Doe", age: 20)
        try store.write { try $0.insert([user, john]) }
    }

    @Test func `opens and closes`() throws {
        let url = directory.url.appending(path: "other")
        let store = try Store(at: url, entities: User.self, Pet.self)
        let scratch = try Store(inMemory: User.self, Pet.self)
        store.onError = { error in print(error) }
        let place = try Store.url(for: "Orders")
        let shared = try Store.url(for: "Orders", in: .group("group.com.example.orders"))
        let reactor = try LifecycleReactor(store, source: .appNotifications())
        reactor.stop()
        #expect(place.path.hasSuffix("Orders/Store/Store.skyros"))
        #expect(shared.path.contains("group.com.example.orders"))
        try store.close()
        do {
            try store.write { try $0.insert(user) }
        } catch let error as StoreError where error.code == .closed {
            print(error)
        }
        try Store.destroy(at: url)
        #expect(try scratch.count(User.self) == 0)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `reads and writes`() throws {
        let count = try store.read { snapshot in
            try snapshot.count(User.self)
        }
        #expect(count == 2)
        try store.write(by: "alice", because: "sign-up") { tx in
            try tx.insert(User(firstname: "Mia"))
        }
        store.writeAsync(by: "alice") { tx in
            try tx.insert(User(firstname: "Max"))
        } completion: { result in
            print(result)
        }
        try store.writeConcurrently { tx in
            let count = try tx.count(User.self)
            try tx.insert(Pet(name: "pet of \(count) users"))
        }
        try store.close()
        #expect(try store.count(User.self) == 4)
        #expect(try store.count(Pet.self) == 1)
    }

    @Test func `requests records`() throws {
        let users = try store.all(User.self)
        let count = try store.count(User.self)
        #expect(users.count == 2 && count == 2)
        let does = try store.all(User.self, where: \.lastname == "Doe")
        let adults = try store.count(User.self, where: #Predicate { $0.age ?? 0 >= 18 })
        #expect(does.count == 2 && adults == 2)
        let jane = try store.first(User.self, where: \.lastname == "Doe", sortedBy: \.firstname)
        #expect(jane == user)
        var request = FetchRequest<User>(sortedBy: [.descending(\.firstname)])
        request.offset = 1
        request.limit = 4
        request.filter = \.lastname == "Doe"
        let page = try store.fetch(request)
        #expect(page == [user])
        try store.write { tx in
            try tx.set(User.self, user.id, ["firstname": "Jo", "age": nil])
        }
        let age = try store.value(of: "age", in: User.self, user.id, as: Int?.self)
        let record = try store.records("User", where: RecordField("firstname") == "Jo").first
        let site = try record?.value("site", by: .urlText)
        #expect(age == nil && site == URL(string: "https://doe.org"))
    }

    @Test func `creates, changes and deletes`() throws {
        let mia = User(firstname: "Mia")
        try store.write { tx in
            try tx.insert(mia)
            try tx.update(User.self, mia.id) { $0.lastname = "Doe" }
        }
        try store.write { tx in
            guard let current = try tx.refresh(mia) else { return }
            try tx.delete(current)
        }
        #expect(try store.count(User.self) == 2)
        let isDeleted = try store.write { try $0.delete(mia) }
        let result = store.objects(User.self).execute { try $0.insert(user) }
        #expect(!isDeleted && code { _ = try result.get() } == .duplicateID)
        do {
            try store.write { try $0.insert(user) }
        } catch let error as StoreError where error.code == .duplicateID {
            print(error.place.entity ?? "-", error.place.ids)
        }
        try store.write { try $0.deleteAll(User.self) }
        try store.deleteAll(User.self, Pet.self, by: "alice", because: "signed out")
        #expect(try store.count(User.self) == 0)
    }

    @Test func `merges a child`() throws {
        let draft = store.fork(by: "alice")
        try draft.write { tx in
            try tx.update(User.self, user.id) { $0.age = 42 }
        }
        let shown = try draft.get(User.self, user.id)?.age
        try store.merge(draft, because: "profile changed")
        #expect(try shown == store.get(User.self, user.id)?.age)
        let details = try draft.fork()
        try details.write { tx in
            try tx.update(User.self, user.id) { $0.site = nil }
        }
        try details.merge()
        try draft.merge()
        #expect(try store.get(User.self, user.id)?.site == nil)
        try store.write { try $0.insert(User(firstname: "Mia")) }
        try draft.refresh()
        let count = try draft.count(User.self)
        #expect(count == 3)
        do {
            try draft.merge(policy: .fail)
        } catch let error as StoreError where error.code == .mergeConflict {
            for conflict in error.conflicts { print(conflict) }
            try draft.merge(policy: .childWins)
        }
        try draft.discard()
        #expect(code { _ = try draft.count(User.self) } == .discarded)
        #expect(throws: StoreError(.foreignChild, "")) {
            try store.merge(Store(inMemory: User.self).fork(by: nil))
        }
    }

    @Test func `takes a store or a child of one`() throws {
        let draft = store.fork(by: "alice")
        try UserService(users: draft).rename(user.id, to: "Roe")
        try UserService(users: store).rename(user.id, to: "Poe")
        #expect(try draft.get(User.self, user.id)?.lastname == "Roe")
        #expect(try store.get(User.self, user.id)?.lastname == "Poe")
        try draft.discard()
    }

    @Test func `moves the records of another back end`() throws {
        let old = try SQLiteStore(at: directory.url.appending(path: "old.sqlite"))
        try SignUp(data: old).add(User(firstname: "Mia"))
        let report = try migrate(from: old, to: store, by: "app 3.0")
        print("\(report.copiedCount) records were copied")
        #expect(report.copiedCount == 1)
        #expect(try store.count(User.self, where: \.firstname == "Mia") == 1)
    }

    @Test func `moves while the app works`() throws {
        let old = try SQLiteStore()
        let store = try Store(inMemory: User.self, Pet.self)
        try SignUp(data: old).add(user)
        let data = MirroredStore(primary: old, shadow: store) { difference in
            print(difference)
        }
        try SignUp(data: data).add(User(firstname: "Max"))
        try data.synchronize(by: "app 3.0")
        try data.switchOver()
        #expect(data.primary is Store)
        #expect(try store.count(User.self) == 2)
        #expect(try store.get(User.self, user.id) == user)
    }
}
