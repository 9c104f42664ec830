import Foundation
import Skyros
import Synchronization
import TestSupport
import Testing

/// What a reference reaches, in each of the ways in which an entity can hold one.
@Suite struct `An entity that is or holds a class` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: ReferenceEntities.all)
    func `keeps an acknowledged update that changes it in place (F65)`(
        type: any ReferenceEntity.Type
    ) throws {
        func check<E: ReferenceEntity>(_ type: E.Type) throws {
            let url = directory.url.appending(path: UUID().uuidString)
            let store = try Store(at: url, entities: E.self)
            try store.write { try $0.insert(E(id: 1, amount: 10)) }
            try store.write(durability: .durable) { try $0.update(E.self, 1) { $0.amount = 20 } }
            #expect(try store.get(E.self, 1)?.amount == 20)
            let changes = try #require(try store.history(of: E.self, 1).last?.changes)
            #expect(changes.count == 1)
            #expect(changes.first?.before != changes.first?.after)
            let digest = try store.snapshot.digest()
            try store.close()
            for removesCheckpoint in [false, true] {
                if removesCheckpoint {
                    let file = url.appending(path: "checkpoint.sqlite")
                    try FileManager.default.removeItem(at: file)
                }
                let next = try Store(at: url, entities: E.self)
                #expect(try next.get(E.self, 1)?.amount == 20)
                #expect(try next.snapshot.digest() == digest)
                try next.close()
            }
        }
        try check(type)
    }

    @Test(arguments: ReferenceEntities.all)
    func `is as before after a block that changed it and threw (F65)`(
        type: any ReferenceEntity.Type
    ) throws {
        struct Stop: Error {}
        func check<E: ReferenceEntity>(_ type: E.Type) throws {
            let store = try Store(inMemory: E.self)
            try store.write { try $0.insert(E(id: 1, amount: 10)) }
            let held = store.snapshot
            #expect(throws: Stop.self) {
                try store.write { tx in
                    var found = try #require(try tx.get(E.self, 1))
                    found.amount = 30
                    try tx.update(E.self, 1) { $0.amount = 40 }
                    #expect(try tx.get(E.self, 1)?.amount == 40)
                    throw Stop()
                }
            }
            #expect(throws: Stop.self) {
                try store.write { tx in
                    try tx.update(E.self, 1) { value in
                        value.amount = 50
                        throw Stop()
                    }
                }
            }
            #expect(try store.get(E.self, 1)?.amount == 10)
            #expect(try held.get(E.self, 1)?.amount == 10)
            #expect(store.sequence == 1)
        }
        try check(type)
    }

    @Test(arguments: ReferenceEntities.all)
    func `is handed out as a value that no other reader sees (F65)`(
        type: any ReferenceEntity.Type
    ) throws {
        func check<E: ReferenceEntity>(_ type: E.Type) throws {
            let store = try Store(inMemory: E.self)
            var inserted = E(id: 1, amount: 10)
            try store.write { try $0.insert(inserted) }
            inserted.amount = 99
            let held = store.snapshot
            let digest = try held.digest()
            for read in reads(of: E.self) {
                for var value in try read(store) { value.amount = 99 }
                for value in try read(store) { #expect(value.amount == 10) }
            }
            #expect(try held.get(E.self, 1)?.amount == 10)
            #expect(try store.snapshot.digest() == digest)
            // An update sees what is stored, and so differs from it.
            try store.write { try $0.update(E.self, 1) { $0.amount = 99 } }
            #expect(try store.get(E.self, 1)?.amount == 99)
            #expect(try held.get(E.self, 1)?.amount == 10)
            try store.write { try $0.delete(E.self, 1) }
            let written = try held.record(E.entityName, RecordID(1))
            let last = try #require(try store.event(3)?.changes.first)
            guard case .deleted(let deleted) = last else {
                Issue.record("event 3 is no deletion")
                return
            }
            #expect(deleted.fieldNames == written?.fieldNames)
            #expect(try held.digest() == digest)
        }
        try check(type)
    }

    private func reads<E: ReferenceEntity>(
        of type: E.Type
    ) -> [(Store) throws -> [E]] {
        [
            { try $0.get(type, 1).map { [$0] } ?? [] },
            { try $0.all(type) },
            { try $0.all(type, where: Filter { $0.amount > 0 }) },
            { try $0.all(type, sortedBy: \.id) },
            { try $0.first(type).map { [$0] } ?? [] },
            { try $0.withValue(of: type, 1) { copy $0 }.map { [$0] } ?? [] },
            { store in try store.write { try $0.all(type) } },
        ]
    }
}

/// An `encode(to:)` that depends on more than the value.
@Suite struct `An encoder that is not pure` {
    /// Writes what a closure outside of the value says.
    private struct Hooked: Entity {
        let id: Int
        // One test uses it, on one thread.
        nonisolated(unsafe) static var hook: () -> Int = { 1 }

        init(id: Int) { self.id = id }

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .id)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            try container.encode(Self.hook(), forKey: .stamp)
        }

        enum Keys: CodingKey { case id, stamp }
    }

    /// Writes another number each time.
    private struct Counting: Entity {
        var id: Int
        private static let count = Mutex(0)

        init(id: Int) {
            self.id = id
        }

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .id)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            let number = Self.count.withLock { count in
                count += 1
                return count
            }
            try container.encode(number, forKey: .stamp)
        }

        enum Keys: CodingKey { case id, stamp }
    }

    /// Decodes another value than the one that was encoded.
    private struct Stamped: Entity {
        let id: Int
        var number: Int

        init(id: Int, number: Int) {
            (self.id, self.number) = (id, number)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            number = try container.decode(Int.self, forKey: .number) + 1
        }
    }

    /// Writes one of its properties only.
    private struct Half: Entity {
        let id: Int
        var kept: String
        var cache = ""

        private enum CodingKeys: CodingKey { case id, kept }
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        let error = failure(as: StoreError.self, body)
        return error?.code == .notEncodable ? error?.message : nil
    }

    @Test func `is found in debug builds if it gives one value two encodings (F65)`() throws {
        let store = try Store(inMemory: Counting.self, Stamped.self)
        for insert in [
            { try $0.insert(Counting(id: 1)) }, { try $0.upsert([Counting(id: 1)]) },
        ] as [(inout WriteTransaction) throws -> Void] {
            let message = refusal { try store.write(insert) }
            #expect(message?.contains("encodes \"stamp\" differently each time") == true)
        }
        let message = refusal { try store.write { try $0.insert(Stamped(id: 1, number: 1)) } }
        #expect(message?.contains("\"number\" differently after it was read") == true)
        #expect(store.sequence == 0)
    }

    @Test func `that leaves out a part is read without it, everywhere (F65)`() throws {
        let store = try Store(inMemory: Half.self)
        try store.write { tx in
            try tx.insert(Half(id: 1, kept: "a", cache: "b"))
            #expect(try tx.get(Half.self, 1)?.cache.isEmpty == true)
        }
        #expect(try store.get(Half.self, 1)?.cache.isEmpty == true)
        try store.write { try $0.update(Half.self, 1) { $0.cache = "c" } }
        #expect(store.sequence == 1)
    }

    @Test func `gives the bytes that are the record from then on (F65)`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.url, entities: Hooked.self)
        Hooked.hook = { 1 }
        try store.write { try $0.insert([Hooked(id: 1), Hooked(id: 2)]) }
        let digest = try store.snapshot.digest()
        Hooked.hook = { 2 }
        #expect(try store.snapshot.digest() == digest)
        #expect(try store.snapshot.record("Hooked", RecordID(1))?["stamp"] == 1)
        try store.write { try $0.upsert(Hooked(id: 1)) }
        let changes = try store.history(of: Hooked.self, 1).last?.changes
        #expect(changes?.map(\.description) == ["stamp: 1 → 2"])
        Hooked.hook = { 3 }
        let last = try store.snapshot.digest()
        try store.close()
        let next = try Store(at: directory.url, entities: Hooked.self)
        #expect(try next.snapshot.digest() == last)
        #expect(try next.snapshot.record("Hooked", RecordID(2))?["stamp"] == 1)
        try next.close()
        #expect(try Archive(at: directory.url).verify().problems.isEmpty)
    }
}
