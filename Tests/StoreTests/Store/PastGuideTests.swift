import Foundation
import Skyros
import TestSupport
import Testing

// The code of the article The past; `GuideTests` compares the two.

private struct Order: Entity {
    var id = UUID()
    var totalCents: Int
}

@Suite struct `The guide to the past` {
    private let directory: TemporaryDirectory
    private let store: Store
    private let order = Order(totalCents: 1_200)

    init() throws {
        directory = try TemporaryDirectory()
        let (order, store) = (order, try Store(at: directory.store, entities: Order.self))
        self.store = store
        try store.write(by: "ada", because: "first order") { try $0.insert(order) }
    }

    @Test func `read the past`() async throws {
        let (store, order) = (store, order)
        try store.writeSync(by: "bob") { tx in
            try tx.update(Order.self, order.id) { $0.totalCents = 1_100 }
        }
        let before = try store.get(Order.self, order.id, asOf: .sequence(1))
        #expect(before?.totalCents == 1_200)
        for entry in try store.history(of: Order.self, order.id) {
            try print(entry.sequence, entry.time, entry.actor ?? "-", entry.changes)
        }
        let corrections = try store.history(of: Order.self, order.id).filter { entry in
            let (old, new) = try (entry.before(as: Order.self), entry.after(as: Order.self))
            return old?.totalCents ?? 0 > new?.totalCents ?? 0
        }
        #expect(corrections.map(\.actor) == ["bob"])
        for origin in try store.blame(of: Order.self, order.id) {
            print(origin.field, origin.value, origin.entry.actor ?? "-")
        }
        let entries = try store.history(of: Order.self, order.id, shape: .newest)
        #expect(entries.count > 1)
        let then = try store.past(asOf: .sequence(1))
        let old = try then[Order.self, order.id]
        let large = try then.all(Order.self, where: \.totalCents > 1_000)
        #expect(old?.totalCents == 1_200 && large.count == 1)
        let whole = try store.snapshot(asOf: .sequence(1))
        #expect(whole.count("Order") == 1)

        let url = directory.store
        for damage in try Archive(at: url).info().scrub?.damages ?? [] {
            print(damage.file, damage.sequences, damage.message)
        }

        for try await event in store.events(1...2) {
            print(event.sequence, event.metadata.actor ?? "-", event.changes.count)
        }

        let yesterday = Date(timeIntervalSinceNow: -86_400)
        let asKnownNow = try store.snapshot(occurred: yesterday)
        let asKnownThen = try store.snapshot(occurred: yesterday, knownAt: .date(yesterday))
        let known = try store.get(Order.self, order.id, occurred: yesterday, knownAt: .sequence(2))
        #expect(asKnownNow.snapshot.sequence == asKnownThen.snapshot.sequence)
        #expect(known == nil)

        let filter = EventFilter(actor: "alice", entity: "Order", since: yesterday)
        for try await event in store.events(where: filter, newestFirst: true) {
            print(event.sequence, event.metadata.reason ?? "-")
        }

        let follower = Task {
            for try await event in store.changes(after: 0) {
                if event.sequence == 2 { return event.metadata.actor }
            }
            return nil
        }
        #expect(try await follower.value == "bob")
    }
}
