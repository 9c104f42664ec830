import Foundation
import Skyros
import TestSupport
import Testing

// The code of the articles ObjectStores and Lifecycle; `GuideTests` compares the two.

private struct Note: Entity, Equatable {
    var id: Int
    var text: String
}

private struct Item: Equatable {
    var id: Int
    var title: String
}

private struct Wishlist: Equatable {
    var id: Int
    var items: [Item]
}

private struct StoredItem: Entity {
    var id: Int
    var title: String
}

private struct StoredList: Entity {
    var id: Int
    var itemIDs: [Int]
}

private struct Customer: Entity, Equatable {
    var id: Int
}

private struct Order: Entity {
    var id: Int
}

@Suite struct `The guides to object stores and the lifecycle` {
    private let customer = Customer(id: 1)

    @Test func `save notes`() throws {
        let store = try Store(inMemory: Note.self)
        let notes = store.objects(Note.self)
        try notes.insert(Note(id: 1, text: "milk")).insert(Note(id: 2, text: "bread"))
        let isStored = try notes.isStored(Note(id: 1, text: "another text"))
        let result = notes.execute { try $0.update(Note(id: 3, text: "tea")) }
        #expect(isStored)
        #expect(code { _ = try result.get() } == .notFound)

        try store.write(by: "alice", because: "tidying up") { tx in
            try notes.delete(Note(id: 1, text: ""), in: &tx)
            try notes.upsert(Note(id: 2, text: "rye bread"), in: &tx)
            print(try notes.count(in: tx))
        }
        #expect(try notes.all() == [Note(id: 2, text: "rye bread")])

        let recent = store.objects(Note.self, keeping: 50, newestBy: \.id)
        try recent.upsert(Note(id: 51, text: "coffee"))
        let newestFirst = try recent.all()
        #expect(newestFirst.map(\.id) == [51, 2])
    }

    @Test func `map wishlists`() throws {
        let store = try Store(inMemory: StoredItem.self, StoredList.self)
        let items = Mapping<Item, StoredItem>(id: { $0.id }) { item in
            StoredItem(id: item.id, title: item.title)
        } object: { stored in
            Item(id: stored.id, title: stored.title)
        }
        let lists = Mapping<Wishlist, StoredList>(id: { $0.id }) { list, context in
            let stored = try list.items.map { try context.entity(for: $0, by: items) }
            return StoredList(id: list.id, itemIDs: stored.map(\.id))
        } object: { stored, context in
            Wishlist(id: stored.id, items: try context.objects(stored.itemIDs, by: items))
        }
        let wishlists = store.objects(lists)
        try wishlists.insert(Wishlist(id: 1, items: [Item(id: 7, title: "lamp")]))
        #expect(try wishlists.get(1)?.items == [Item(id: 7, title: "lamp")])
        #expect(store.sequence == 1)
    }

    @Test func `open and flush`() async throws {
        let place = try Store.url(for: "Kanban")
        #expect(place.lastPathComponent == "Store.skyros")
        let directory = try TemporaryDirectory()
        let url = directory.store
        let customer = customer

        let pending = PendingStore(at: url, entities: Customer.self, Order.self)
        pending.writeAsync { tx in try tx.insert(customer) }
        let opened = try await pending.store
        let store = opened
        try await store.flush()
        #expect(try opened.all(Customer.self) == [customer])

        let reactor = try LifecycleReactor(store, source: .terminationSignals)
        reactor.stop()
    }

    @Test func `erase`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Customer.self)
        try store.nuke()
        try store.write { try $0.insert(customer) }  // event 1 of another history
        try store.destroy()
        #expect(try directory.contents().isEmpty)
    }
}
