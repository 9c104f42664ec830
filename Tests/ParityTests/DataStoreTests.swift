import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

/// A back end as a user writes one.
private final class DictionaryStore: DataStore {
    private let tables = Locked<[String: [RecordID: Record]]>([:])
    private let writing = NSLock()
    /// The metadata of each commit.
    let calls = Locked<[Metadata]>([])

    func entityNames() -> [String] {
        tables.withLock { $0.filter { !$0.value.isEmpty }.map(\.key) }
    }

    func count(of entity: String) -> Int { tables.withLock { $0[entity]?.count ?? 0 } }

    func record(_ entity: String, _ id: RecordID) -> Record? {
        tables.withLock { $0[entity]?[id] }
    }

    func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws {
        for record in tables.withLock({ $0[entity] ?? [:] }).values { try body(record) }
    }

    func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws {
        try writing.withLock {
            let changes = try block()
            calls.withLock { $0.append(metadata) }
            tables.withLock { tables in
                for change in changes {
                    switch change {
                    case .put(let record): tables[record.entity, default: [:]][record.id] = record
                    case .delete(let entity, let id): tables[entity]?[id] = nil
                    case .deleteAll(let entity): tables[entity] = nil
                    }
                }
            }
        }
    }

    func flush() {}
    func close() {}
}

/// The back ends that the test runs on.
enum BackEnd: CaseIterable {
    case storeOnDisk, storeInMemory, sqliteOnDisk, sqliteInMemory, ofTheUser, mirror

    func open(in directory: TemporaryDirectory) throws -> any DataStore {
        switch self {
        case .storeOnDisk: try Store(at: directory.store, entities: User.self, Pet.self)
        case .storeInMemory: try Store(inMemory: User.self, Pet.self)
        case .sqliteOnDisk: try SQLiteStore(at: directory.url.appending(path: "data.sqlite"))
        case .sqliteInMemory: try SQLiteStore()
        case .ofTheUser: DictionaryStore()
        case .mirror:
            MirroredStore(
                primary: try SQLiteStore(), shadow: try Store(inMemory: User.self, Pet.self)
            ) { difference in Issue.record("\(difference)") }
        }
    }

    var isOnDisk: Bool { self == .storeOnDisk || self == .sqliteOnDisk }
}

/// A service of an app, which does not know where its users are kept.
private struct Signup {
    let data: any DataStore

    func signUp(_ user: User) throws {
        try data.transaction(by: "signup", because: "new user") { try $0.insert(user) }
    }
}

@Suite struct `A data store` {
    @Test(arguments: BackEnd.allCases)
    func `S-016: has any back end`(backEnd: BackEnd) throws {
        let directory = try TemporaryDirectory()
        var data = try backEnd.open(in: directory)
        try data.transaction(by: "test") { tx in
            try tx.insert([User.john, .jane])
            try tx.insert(Pet())
            #expect(try tx.all(User.self).count == 2)
            try tx.update(User.self, User.john.id) { $0.age = 41 }
            #expect(try tx.get(User.self, User.john.id)?.age == 41)
            try tx.upsert(User.mia)
            #expect(try tx.delete(User.jane))
            #expect(try !tx.exists(User.self, User.jane.id))
        }
        if backEnd.isOnDisk {
            try data.flush()
            try data.close()
            data = try backEnd.open(in: directory)
        }
        #expect(try Set(data.entityNames()) == ["User", "Pet"])
        #expect(try data.count(User.self) == 2)
        #expect(try data.count(User.self, where: \.age > 40) == 1)
        #expect(try data.exists(User.self, User.mia.id))
        #expect(try data.all(User.self, sortedBy: [.ascending(\.age)]).map(\.age) == [7, 41])
        let sorted = try data.all(User.self, sortedBy: [.descending(\.age)], offset: 1, limit: 5)
        #expect(sorted == [.mia])
        #expect(try data.first(User.self, where: \.firstname == "John")?.age == 41)
        try checkErrors(of: data)
        try data.transaction { tx in
            #expect(try tx.deleteAll(User.self) == 2)
            try tx.insert(User.jane)
        }
        #expect(try data.all(User.self) == [.jane])
        #expect(try data.count(of: "Pet") == 1)
        try data.close()
        try data.close()
    }

    /// A refused block changes nothing.
    private func checkErrors(of data: any DataStore) throws {
        let codes = [
            code { try data.transaction { try $0.insert([User.jane, .mia]) } },
            code { try data.transaction { try $0.update(User.jane) } },
            code { try data.transaction { try $0.update(User.self, User.jane.id) { _ in } } },
            code {
                try data.transaction { tx in
                    try tx.update(User.self, User.mia.id) { $0.id = User.jane.id }
                }
            },
        ]
        #expect(codes == [.duplicateID, .notFound, .notFound, .idChanged])
        #expect(throws: Refused.self) {
            try data.transaction { tx in
                try tx.deleteAll(User.self)
                throw Refused()
            }
        }
        #expect(try data.count(of: "User") == 2)
    }

    @Test func `S-015: is replaced by one of the app's, which gets the writes`() throws {
        let data = DictionaryStore()
        try Signup(data: data).signUp(.john)
        #expect(data.calls.withLock { $0.map(\.actor) } == ["signup"])
        #expect(data.calls.withLock { $0.map(\.reason) } == ["new user"])
        #expect(try data.all(User.self) == [.john])
    }
}
