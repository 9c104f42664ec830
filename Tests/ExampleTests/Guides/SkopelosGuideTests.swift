import Foundation
import Skyros
import TestSupport
import Testing

// The code of docs/migrating/Skopelos.md and Skiathos.md; `MigrationGuideTests` compares them.

private struct User: Entity, Equatable {
    var id = UUID()
    var firstname: String?
    var lastname: String?
    static let indexes: [Index<User>] = [.on(\.lastname)]
}

private struct Persistence {
    let store: Store

    init(at url: URL) throws {
        store = try Store(at: url, entities: User.self)
        store.onError = { error in print(error) }
    }

    func rename(_ id: User.ID, to name: String) throws {
        try store.write { tx in
            try tx.update(User.self, id) { $0.lastname = name }
        }
    }
}

@Suite struct `The guides from Skopelos and Skiathos` {
    private let directory: TemporaryDirectory
    private let url: URL
    private let store: Store
    private let user = User(firstname: "Jane", lastname: "Doe")

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.store
        store = try Store(at: url, entities: User.self)
    }

    @Test func `set up`() async throws {
        let url = directory.url.appending(path: "other")
        let store = try Store(at: url, entities: User.self)
        let scratch = try Store(inMemory: User.self)
        let place = try Store.url(for: "Users")
        let shared = try Store.url(for: "Users", in: .group("group.com.example.users"))
        #expect(place.path != shared.path)
        #expect(try scratch.count(User.self) == 0)
        let reactor = try LifecycleReactor(store, source: .appNotifications())
        reactor.stop()
        try store.close()
        let pending = PendingStore(at: url, entities: User.self) { result in
            print(result)
        }
        pending.writeAsync { tx in
            try tx.insert(User(firstname: "Mia"))
        }
        let opened = try await pending.store
        try await opened.flush()
        #expect(try opened.count(User.self) == 1)
        try opened.close()
        let persistence = try Persistence(at: url)
        let mia = try #require(try persistence.store.first(User.self))
        try persistence.rename(mia.id, to: "Roe")
        #expect(try persistence.store.first(User.self)?.lastname == "Roe")
    }

    @Test func `read and write`() throws {
        try store.read { snapshot in
            let users = try snapshot.all(User.self)
            print(users)
        }
        try store.write { tx in
            try tx.insert(User(firstname: "John", lastname: "Doe"))
        }
        store.writeAsync(durability: .durable) { tx in
            try tx.insert(User(firstname: "Jane", lastname: "Doe"))
        } completion: { result in
            print(result)
        }
        try store.writeSync { tx in
            try tx.insert(user)
        }
        .writeSync { tx in
            try tx.delete(user)
        }
        .read { snapshot in
            print(try snapshot.all(User.self))
        }
        try store.write { tx in
            try tx.insert([User(), User()])
            let count = try tx.count(User.self)
            print(count)
        }
        try store.writeConcurrently { tx in
            let count = try tx.count(User.self)
            try tx.insert(User(firstname: "number \(count + 1)"))
        }
        store.flush { result in print(result) }
        try store.flush()
        #expect(try store.count(User.self) == 5)
        try store.nuke()
        try store.write { try $0.insert(user) }
        #expect(try store.all(User.self) == [user])
    }

    @Test func `create, find and delete`() throws {
        let john = User(firstname: "John", lastname: "Doe")
        try store.write { tx in
            try tx.insert(john)
            try tx.insert(User())
        }
        try store.write { tx in
            try tx.update(User.self, john.id) { $0.lastname = "Smith" }
        }
        let users = try store.all(User.self)
        let smiths = try store.all(User.self, where: \.lastname == "Smith")
        let unnamed = try store.all(User.self, where: #Predicate { $0.lastname == nil })
        let count = try store.count(User.self)
        let smithCount = try store.count(User.self, where: \.lastname == "Smith")
        #expect(users.count == 2 && count == 2 && smiths.count == 1 && smithCount == 1)
        #expect(unnamed.count == 1)
        let first = try store.first(User.self)
        let smith = try store.first(User.self, where: \.lastname == "Smith", sortedBy: \.firstname)
        #expect(first != nil && smith?.firstname == "John")
        let ordered = try store.all(
            User.self, sortedBy: [.ascending(\.lastname), .descending(\.firstname)])
        let records = try store.records(
            "User", sortedBy: [.ascending("lastname"), .descending("firstname")])
        #expect(ordered.last?.id == john.id && records.count == 2)
        try store.write { tx in
            guard let current = try tx.refresh(john) else { return }
            try tx.delete(current)
        }
        #expect(try store.count(User.self) == 1)
        try store.write { try $0.deleteAll(User.self) }
        #expect(try store.count(User.self) == 0)
        do {
            try store.write { try $0.insert([john, john]) }
        } catch {
            print(error)
        }
        let countAfter = try store.count(User.self)
        #expect(countAfter == 0)
    }

    @Test func `have a default store if an app sets one`() throws {
        let store = try Store(inMemory: User.self)
        Store.default = store
        try Store.default?.write { try $0.insert(user) }
        Store.default = nil
        #expect(try store.count(User.self) == 1)
    }
}
