import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite(.serialized) struct `Several stores and what is built on them` {
    @Test func `S-011: a store lies at the URL that the app gives`() throws {
        let directory = try TemporaryDirectory()
        let urls = ["a", "b"].map { directory.url.appending(path: "\($0)/Test.skyros") }
        let stores = try urls.map { try Store(at: $0, entities: User.self) }
        try stores[0].write { try $0.insert(User.john) }
        #expect(try stores.map { try $0.count(User.self) } == [1, 0])
        #expect(urls.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    }

    @Test(arguments: Medium.allCases)
    func `S-014: stores in one process know nothing of each other`(medium: Medium) throws {
        let homes = try (0..<3).map { _ in try Home(medium) }
        let stores = try homes.map { try $0.open() }
        try stores[1].write { try $0.insert(User.john) }
        #expect(try stores.map { try $0.count(User.self) } == [0, 1, 0])
        #expect(stores.map(\.sequence) == [0, 1, 0])
    }

    /// The only test that sets it.
    @Test(arguments: Medium.allCases)
    func `S-014: the process has a default store only if the app sets one`(medium: Medium) throws {
        let home = try Home(medium)
        #expect(Store.default === nil)
        weak var released: Store?
        do {
            let store = try home.open()
            try store.write { try $0.insert(User.john) }
            Store.default = store
            released = store
        }
        #expect(try Store.default?.all(User.self) == [.john])
        #expect(released === Store.default)
        Store.default = nil
        #expect(released == nil)
        #expect(Store.default === nil)
    }

    /// A service that reads from what it is given.
    private struct Greeter<Source: RecordSource> {
        let source: Source

        func greetings() throws -> [String] {
            try source.all(User.self, sortedBy: \.firstname).map { "Hello \($0.firstname ?? "")" }
        }
    }

    /// A source that counts the reads of another one.
    private final class CountingSource: RecordSource {
        private let base: Store
        private(set) var count = 0

        init(_ base: Store) {
            self.base = base
        }

        var snapshot: Snapshot {
            count += 1
            return base.snapshot
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-015: a service takes a store, a snapshot or the app's source`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert([User.john, .jane]) }
        let expected = ["Hello Jane", "Hello John"]
        #expect(try Greeter(source: store).greetings() == expected)
        #expect(try Greeter(source: store.snapshot).greetings() == expected)
        let source = CountingSource(store)
        #expect(try Greeter(source: source).greetings() == expected)
        #expect(source.count == 1)
    }

    /// A service that reads from and writes to what it is given.
    private struct Registrar {
        let store: any RecordStore

        func register(_ user: User) throws -> Int {
            try store.write { tx in
                try tx.insert(user)
                return try tx.count(User.self)
            }
        }
    }

    /// A replacement for a store: it records the calls, and keeps the records elsewhere.
    private final class RecordingStore: RecordStore {
        private let base: ChildStore
        private let calls = Locked<[String]>([])

        init(_ base: ChildStore) {
            self.base = base
        }

        var allCalls: [String] { calls.withLock { $0 } }

        var snapshot: Snapshot { get throws { try base.snapshot } }

        func write<R>(_ block: (inout WriteTransaction) throws -> R) throws -> R {
            calls.withLock { $0.append("write") }
            return try base.write(block)
        }

        func write<R: Sendable>(
            _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
        ) async throws -> R {
            calls.withLock { $0.append("write async") }
            return try await base.write(block)
        }

        func fork(by actor: String?) throws -> ChildStore {
            calls.withLock { $0.append("fork") }
            return try base.fork(by: actor)
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-015: a service writes to a store, a child or the app's replacement`(
        medium: Medium
    ) throws {
        let home = try Home(medium)
        let store = try home.open()
        #expect(try Registrar(store: store).register(.john) == 1)
        let child = store.fork()
        #expect(try Registrar(store: child).register(.jane) == 2)
        let replacement = RecordingStore(store.fork())
        #expect(try Registrar(store: replacement).register(.mia) == 2)
        #expect(replacement.allCalls == ["write"])
        #expect(try store.all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-020: a released store ends and gives its place free`(medium: Medium) throws {
        let home = try Home(medium)
        weak var released: Store?
        do {
            let store = try home.open()
            try store.write { try $0.insert(User.john) }
            released = store
            #expect(released != nil)
        }
        #expect(released == nil)
        #expect(try home.open().count(User.self) == (medium == .disk ? 1 : 0))
    }
}
