import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

private struct Known: Entity, Equatable {
    var id: Int
}

extension Record {
    fileprivate static func of(_ entity: String, _ id: Int, _ text: String = "") throws -> Record {
        try Record(
            entity: entity, id: RecordID(id),
            fields: ["id": .integer(Int128(id)), "text": .text(text)])
    }
}

/// An entity of which an untyped write stores the first record.
@Suite struct `An entity without a type` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func texts(_ entity: String, in source: some RecordSource) throws -> [String] {
        try source.records(entity).compactMap { $0["text"]?.text }
    }

    @Test func `gets a table with its first record`() throws {
        let store = try Store(untypedAt: directory.store)
        #expect(try store.records("A").isEmpty)
        try store.write { tx in
            // Neither of these leaves a record, so neither leaves a table.
            try tx.insert(.of("Gone", 1))
            #expect(try tx.delete("Gone", RecordID(1)))
            #expect(try tx.deleteAll("Never") == 0)
            try tx.insert([.of("B", 1, "b"), .of("A", 1, "a")])
            #expect(try tx.records("A").count == 1)
            #expect(try tx.record("B", RecordID(1)) != nil)
        }
        try store.write { try $0.insert([.of("A", 2, "aa"), .of("C", 1, "c")]) }
        #expect(store.snapshot.entities == ["A", "B", "C"])
        let digest = try store.snapshot.digest()
        try store.close()
        let again = try Store(untypedAt: directory.store)
        #expect(try texts("A", in: again) == ["a", "aa"])
        #expect(try again.snapshot.digest() == digest)
        try again.write { try $0.upsert(.of("A", 1, "changed")) }
        #expect(try texts("A", in: again) == ["changed", "aa"])
    }

    @Test func `leaves no table if the block throws`() throws {
        let store = try Store.untypedInMemory()
        #expect(throws: CancellationError.self) {
            try store.write { tx in
                try tx.insert(.of("A", 1))
                throw CancellationError()
            }
        }
        try store.write { try $0.insert(.of("B", 1, "b")) }
        #expect(store.snapshot.entities == ["B"])
        #expect(store.sequence == 1)
    }

    @Test func `is written after an erasure, when tables have other places`() throws {
        let store = try Store(untypedAt: directory.store)
        try store.write { try $0.insert([.of("A", 1, "a"), .of("B", 1, "b")]) }
        try store.nuke()
        try store.write { try $0.insert(.of("B", 2, "bb")) }
        try store.write { try $0.insert(.of("A", 2, "aa")) }
        #expect(try texts("A", in: store) == ["aa"])
        #expect(try texts("B", in: store) == ["bb"])
    }

    @Test func `has a table in another place after another process has written a checkpoint`()
        throws
    {
        let store = try Store(untypedAt: directory.store)
        try store.write { try $0.insert(.of("Z", 1)) }
        try store.write { try $0.insert(.of("A", 1)) }
        try store.write { try $0.upsert(.of("Z", 1, "changed")) }
        store.suspend()
        // Its checkpoint has the tables in the order of their names.
        try Store(untypedAt: directory.store).close()
        try store.resume()
        func change(_ entity: String) throws {
            try store.write(expecting: .unchanged(entity, id: RecordID(1), since: 2)) { _ in }
        }
        #expect(code { try change("Z") } == .conflict)
        try change("A")
    }

    @Test func `is accepted beside types if the store keeps such records`() throws {
        var options = Store.Options()
        let strict = try Store(at: directory.store, entities: Known.self)
        #expect(code { try strict.write { try $0.insert(.of("A", 1)) } } == .unknownEntity)
        try strict.close()
        options.keepsUnknownEntities = true
        let store = try Store(at: directory.store, entities: Known.self, options: options)
        try store.write { tx in
            try tx.insert(.of("A", 1, "a"))
            try tx.insert(Known(id: 1))
        }
        #expect(try texts("A", in: store) == ["a"])
        #expect(try store.all(Known.self) == [Known(id: 1)])
    }

    @Test func `needs a name`() throws {
        let store = try Store.untypedInMemory()
        #expect(code { try store.write { try $0.insert(.of("", 1)) } } == .invalidInput)
    }

    @Test func `is written in a child store and merged`() throws {
        let store = try Store.untypedInMemory()
        let child = store.fork()
        try child.write { try $0.insert(.of("A", 1, "child")) }
        // The parent adds another table at the same place.
        try store.write { try $0.insert(.of("B", 1, "parent")) }
        try child.merge()
        #expect(try texts("A", in: store) == ["child"])
        #expect(try texts("B", in: store) == ["parent"])
    }

    @Test func `conflicts in concurrent blocks that write its first record`() throws {
        let store = try Store.untypedInMemory()
        let runCount = Locked(0)
        let error = failure(as: StoreError.self) {
            try store.writeConcurrently { tx in
                let isFirst = runCount.withLock { count in
                    count += 1
                    return count == 1
                }
                try tx.insert(.of("A", 1, "mine"))
                guard isFirst else { return }
                inParallel(1, threads: 1) { _ in
                    try? store.write { tx in
                        try tx.insert(.of("B", 1, "other"))
                        try tx.insert(.of("A", 1, "first"))
                    }
                }
            }
        }
        #expect(error?.code == .duplicateID)
        #expect(runCount.withLock { $0 } == 2)
        #expect(try texts("A", in: store) == ["first"])
    }
}
