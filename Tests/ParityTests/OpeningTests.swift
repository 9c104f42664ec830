import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `Opening and closing` {
    @Test(arguments: Medium.allCases)
    func `S-001: one API serves a store on disk and one that leaves no file`(medium: Medium) throws
    {
        let here = FileManager.default.currentDirectoryPath
        func names() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: here))
        }
        let before = try names()
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(try store.all(User.self) == [.john])
        try store.close()
        #expect(try home.open().count(User.self) == (medium == .disk ? 1 : 0))
        #expect(try home.directory.contents().isEmpty == (medium == .memory))
        #expect(try names() == before)
    }

    @Test func `S-002: a store needs no set-up and opens once in a process`() throws {
        let home = try Home(.disk)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(code { _ = try home.open() } == .alreadyOpen)
        try store.write { try $0.insert(User.jane) }
        #expect(try home.reopened(store).count(User.self) == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-003: a closed store refuses writes and reads its last state`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        try store.close()
        #expect(code { try store.write { try $0.insert(User.jane) } } == .closed)
        let completions = Completions()
        store.writeAsync {
            try $0.insert(User.jane)
        } completion: {
            completions.add($0)
        }
        let result = completions.wait(for: 1)[0]
        #expect(code { _ = try result.get() } == .closed)
        #expect(try store.all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-004: closing twice does no harm and the place opens again`(medium: Medium) throws {
        let home = try Home(medium)
        let closed = try home.open()
        try closed.close()
        try closed.close()
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(try store.count(User.self) == 1)
    }

    @Test func `S-005: closing keeps the data`() throws {
        let home = try Home(.disk)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(try home.reopened(store).all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-009: opening is synchronous and has recovered when it returns`(medium: Medium) throws {
        let home = try Home(medium)
        let first = try home.open()
        try first.write { try $0.insert(User.john) }
        let store = try home.reopened(first)
        // Nothing has been awaited since the initialiser returned.
        #expect(store.recovery.sequence == (medium == .disk ? 1 : 0))
        #expect(store.sequence == 1)
        #expect(try store.all(User.self) == [.john])
    }

    @Test func `S-012: missing directories are created, and a file in the way stays`() throws {
        let directory = try TemporaryDirectory()
        let deep = directory.url.appending(path: "a/b/c")
        let store = try Store(at: deep, entities: User.self)
        try store.write { try $0.insert(User.john) }
        try store.close()
        #expect(try Store(at: deep, entities: User.self).count(User.self) == 1)

        try directory.write([1, 2, 3], to: "file")
        for path in ["file", "file/b/c"] {
            let url = directory.url.appending(path: path)
            #expect(throws: StoreError.self) { _ = try Store(at: url, entities: User.self) }
            #expect(try directory.bytes(of: "file") == [1, 2, 3])
        }
    }

    @Test func `S-013: a missing or invalid schema is refused before a file is made`() throws {
        struct Broken: Entity {
            var id: Int
            static let indexes: [Index<Broken>] = [.on(\.id, \.id)]
        }
        let directory = try TemporaryDirectory()
        let schemas: [[any Entity.Type]] = [[], [User.self, User.self], [Broken.self]]
        for types in schemas {
            let open = { _ = try Store(at: directory.store, entities: types) }
            #expect(code(open) == .invalidSchema, "\(types)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
        #expect(code { _ = try Store(inMemory: Broken.self) } == .invalidSchema)
    }
}
