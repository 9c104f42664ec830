import Foundation
import Observation
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

private struct Card: Entity, Equatable {
    var id: Int
    var title = ""
}

@MainActor @Suite(.mayHang) struct `An observable live result` {
    private let store: Store

    init() throws {
        store = try SharedStore.inMemory(Card.self)
        try store.write { try $0.insert(Card(id: 1, title: "a")) }
    }

    /// Runs `body`, and waits until what `read` reads has changed.
    private func change(
        of read: () -> Void, _ body: @Sendable (Store) throws -> Void
    ) async {
        let store = store
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            withObservationTracking(read) { continuation.resume() }
            do { try body(store) } catch { Issue.record(error) }
        }
        // The change was announced before it was made, in a job of the main actor that has ended.
    }

    @Test func `has the records immediately, and those of later events`() async throws {
        let cards = LiveResult(store.live(Card.self))
        #expect(cards.values == [Card(id: 1, title: "a")])
        await change(of: { _ = cards.values }) { try $0.write { try $0.insert(Card(id: 2)) } }
        #expect(cards.values.map(\.id) == [1, 2])
        #expect(!cards.hasEnded)
        await change(of: { _ = cards.hasEnded }) { try $0.close() }
        #expect(cards.hasEnded)
        #expect(cards.error == nil)
        #expect(cards.values.count == 2)
    }

    @Test func `ends its query when it is released`() async throws {
        var cards: LiveResult? = LiveResult(store.live(Card.self))
        weak let released = cards
        #expect(store.liveHub.queryCount == 1)
        cards = nil
        #expect(released == nil)
        while store.liveHub.queryCount > 0 { await Task.yield() }
        #expect(cards == nil)
    }

    @Test func `keeps the last records and has the error`() async throws {
        struct Refused: Error {}
        let filter = Filter<Card> { if $0.id < 0 { throw Refused() } else { true } }
        let cards = LiveResult(store.live(Card.self, where: filter))
        await change(of: { _ = cards.hasEnded }) { store in
            try store.write { try $0.insert(Card(id: -1)) }
        }
        #expect(cards.error?.code == .filterFailed)
        #expect(cards.values.map(\.id) == [1])
        let failed = LiveResult(store.live(Card.self, where: filter))
        #expect(failed.error?.code == .filterFailed)
        #expect(failed.hasEnded)
        #expect(failed.values.isEmpty)
        #expect(store.liveHub.queryCount == 0)
    }

    @Test func `stops when it is asked to`() async throws {
        let cards = LiveResult(store.live(Card.self))
        cards.stop()
        while store.liveHub.queryCount > 0 { await Task.yield() }
        try store.writeSync { try $0.insert(Card(id: 2)) }
        #expect(cards.values.count == 1)
    }
}

@Suite struct `A field of a record` {
    @Test func `is read from the newest state, and written with an actor`() throws {
        let errors = Locked<[any Error]>([])
        var options = Store.Options()
        options.onError = { error in errors.withLock { $0.append(error) } }
        let store = try SharedStore.inMemory(Card.self, options: options)
        try store.write { try $0.insert(Card(id: 1, title: "a")) }
        let field = FieldBinding<Card, String>(
            store: store, id: 1, path: \.title, fallback: "none", actor: "ada", reason: "typed")
        #expect(field.value == "a")
        field.value = "b"
        #expect(field.value == "b")
        let event = try #require(try store.event(2))
        #expect(event.metadata == Metadata(actor: "ada", reason: "typed"))
        try store.write { _ = try $0.delete(Card.self, 1) }
        #expect(field.value == "none")
        field.value = "c"
        options.callbackQueue.sync {}
        #expect(errors.withLock { $0.map { ($0 as? StoreError)?.code } } == [.notFound])
    }
}
