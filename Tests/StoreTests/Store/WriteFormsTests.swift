import Foundation
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The forms of write` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Note.self, Restaurant.self)
    }

    @Test func `with await run on the store's thread`() async throws {
        let store = store
        let thread = Locked(ThreadID.current)
        let count = try await store.write(by: "alice") { tx in
            thread.withLock { $0 = .current }
            try tx.insert(Note(id: 1, text: "a"))
            return try tx.count(Note.self)
        }
        #expect(count == 1)
        let other = try await store.write { _ in ThreadID.current }
        #expect(thread.withLock { $0 } == other)
        let (result, receipt) = try await store.writeWithReceipt(durability: .durable) { tx in
            try tx.delete(Note.self, 1)
        }
        #expect(result && receipt.sequence == 2 && receipt.durability == .durable)
        try await receipt.waitUntilDurable()
    }

    @Test func `without await run on the calling thread`() throws {
        let thread = ThreadID.current
        #expect(try store.write { _ in ThreadID.current } == thread)
        #expect(try store.writeWithReceipt { _ in ThreadID.current }.result == thread)
        try store.writeSync { _ in #expect(ThreadID.current == thread) }
    }

    @Test func `without waiting need no completion`() throws {
        store.writeAsync { try $0.insert(Note(id: 1, text: "a")) }
        store.writeAsync(by: "bob", durability: .durable) {
            try $0.insert(Note(id: 2, text: "b"))
        } completion: { result in
            #expect((try? result.get().sequence) == 2)
        }
        // This write comes after both.
        #expect(try store.write { try $0.count(Note.self) } == 2)
    }

    @Test func `stage on a state that is not published yet`() throws {
        let writer = Writer(empty: store.snapshot, .system)
        var state = store.snapshot
        for id in 1...3 {
            var batch = CommandBatch(metadata: Metadata(), intent: nil)
            let count = try writer.stage(on: state, into: &batch) { tx in
                try tx.insert(Note(id: id, text: "\(id)"))
                return try tx.count(Note.self)
            }
            #expect(count == id)
            let stamp = EventStamp(
                sequence: state.sequence.next, time: EventTime(microseconds: Int64(id)),
                chainHash: state.chainHash)
            var dirty = DirtyRows(isRecording: false)
            try Projector.apply(batch.changes, as: stamp, to: &state, marking: &dirty)
        }
        #expect(try state.all(Note.self).map(\.text) == ["1", "2", "3"])
        #expect(store.sequence == .zero)
    }
}

@Suite struct `A record by its id` {
    @Test func `is a subscript of store, snapshot and transaction`() throws {
        let store = try Store(inMemory: Note.self)
        try store.write { tx in
            try tx.insert(Note(id: 1, text: "a"))
            #expect(try tx[Note.self, 1]?.text == "a")
            #expect(try tx[Note.self, 2] == nil)
        }
        let before = store.snapshot
        try store.write { try $0.delete(Note.self, 1) }
        #expect(try before[Note.self, 1]?.text == "a")
        #expect(try store[Note.self, 1] == nil)
    }
}

@Suite struct `Reads by key path and predicate` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Restaurant.self)
        try store.write { tx in
            for (name, rating) in [("c", 2.5), ("a", nil), ("d", 4.5), ("b", 1.0)] {
                try tx.insert(Restaurant(name: name, cuisine: "x", rating: rating))
            }
        }
    }

    @Test func `sort by an optional field, nil first`() throws {
        let sorted = try store.all(Restaurant.self, sortedBy: \.rating).map(\.name)
        #expect(sorted == ["a", "b", "c", "d"])
        #expect(try store.all(Restaurant.self, sortedBy: \.rating, limit: 2).count == 2)
    }

    @Test func `give the first record in an order`() throws {
        #expect(try store.first(Restaurant.self, sortedBy: \.name)?.name == "a")
        #expect(try store.first(Restaurant.self, sortedBy: \.rating)?.name == "a")
        #expect(
            try store.first(Restaurant.self, where: \.rating > 1, sortedBy: \.rating)?.name == "c")
        #expect(try store.first(Restaurant.self, sortedBy: [.descending(\.name)])?.name == "d")
        #expect(try store.first(Restaurant.self, where: \.name == "z", sortedBy: \.name) == nil)
    }

    @Test func `take a predicate as the filter`() throws {
        let after = "a"
        let names = try store.all(
            Restaurant.self, where: #Predicate { $0.name > after }, sortedBy: \.name
        ).map(\.name)
        #expect(names == ["b", "c", "d"])
        let byRating = try store.all(
            Restaurant.self, where: #Predicate { $0.cuisine == "x" }, sortedBy: \.rating, limit: 1)
        #expect(byRating.map(\.name) == ["a"])
        #expect(try store.all(Restaurant.self, where: #Predicate { $0.name == "b" }).count == 1)
        #expect(try store.count(Restaurant.self, where: #Predicate { $0.name < "c" }) == 2)
        #expect(
            try store.first(
                Restaurant.self, where: #Predicate { $0.name != "a" }, sortedBy: \.rating)?.name
                == "b")
        #expect(
            try store.first(
                Restaurant.self, where: #Predicate { $0.name != "a" }, sortedBy: \.name)?.name
                == "b")
        #expect(try store.first(Restaurant.self, where: #Predicate { $0.name == "z" }) == nil)
        let deleted = try store.write { tx in
            try tx.delete(Restaurant.self, where: #Predicate { $0.name > after })
        }
        #expect(deleted == 3)
    }
}
