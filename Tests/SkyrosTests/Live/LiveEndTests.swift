import Foundation
import TestSupport
import Testing

@testable import Skyros

private struct PlainCard: Entity, Equatable {
    var id: Int
}

@Suite(.mayHang) struct `The end of live queries and streams` {
    private let store: Store
    private let gone = StoreError(.notAStore, "the store was erased")

    init() throws {
        store = try Store(inMemory: PlainCard.self)
        try store.write { try $0.insert(PlainCard(id: 1)) }
    }

    @Test func `is an error if the store is gone, also for what waits`() async throws {
        let (store, gone) = (store, gone)
        let waiting = Task {
            for try await cards in store.live(PlainCard.self) where cards.count > 1 {}
        }
        while store.liveHub.queryCount == 0 { await Task.yield() }
        store.liveHub.end(throwing: gone)
        await #expect(throws: gone) { try await waiting.value }

        var later = store.live(PlainCard.self).makeAsyncIterator()
        await #expect(throws: gone) { try await later.next() }
        #expect(try await later.next() == nil)
        #expect(store.liveHub.queryCount == 0)
    }

    @Test func `is an error of streams of events if the store is gone`() async throws {
        var events = store.changes().makeAsyncIterator()
        var changes = store.changes(of: PlainCard.self).makeAsyncIterator()
        store.signal.end(throwing: gone)
        await #expect(throws: gone) { try await events.next() }
        await #expect(throws: gone) { try await changes.next() }
        #expect(try await changes.next() == nil)
        // A stream of older events does not read a log that is gone.
        var all = store.changes(after: 0).makeAsyncIterator()
        await #expect(throws: gone) { try await all.next() }
    }

    @Test func `comes when an iterator is released`() async throws {
        do {
            var results = store.live(PlainCard.self).makeAsyncIterator()
            #expect(store.liveHub.queryCount == 0)
            _ = try await results.next()
            #expect(store.liveHub.queryCount == 1)
        }
        #expect(store.liveHub.queryCount == 0)
    }

    @Test func `comes after the last state if the store was closed before`() async throws {
        try store.close()
        var results = store.live(PlainCard.self).makeAsyncIterator()
        #expect(try await results.next() == [PlainCard(id: 1)])
        #expect(try await results.next() == nil)
    }

    @Test func `comes in a cancelled task without a result`() async throws {
        let store = store
        let reader = Task {
            while !Task.isCancelled { await Task.yield() }
            var count = 0
            for try await _ in store.live(PlainCard.self) { count += 1 }
            return count
        }
        reader.cancel()
        #expect(try await reader.value == 0)
    }

    @Test func `is an error for a type that the store does not know`() async throws {
        struct Unknown: Entity { var id: Int }
        var results = store.live(Unknown.self).makeAsyncIterator()
        await #expect(throws: StoreError(.unknownEntity, "")) { try await results.next() }
        var changes = store.changes(of: Unknown.self).makeAsyncIterator()
        try store.writeSync { try $0.insert(PlainCard(id: 2)) }
        await #expect(throws: StoreError(.unknownEntity, "")) { try await changes.next() }
        var later = store.changes(of: PlainCard.self, after: 9).makeAsyncIterator()
        for id in 3...10 { try store.writeSync { try $0.insert(PlainCard(id: id)) } }
        #expect(try await later.next()?.changes.map(\.id) == [RecordID(encoding: 10)])
    }
}
