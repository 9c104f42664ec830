import Foundation
import Skyros
import TestSupport
import Testing

// The code of docs/migrating/PoqSDK.md; `MigrationGuideTests` compares the two.

private struct Item: Equatable {
    var id: Int
    var title: String
}

private struct List: Equatable {
    var id: Int
    var name: String
    var items: [Item]
}

private struct StoredItem: Entity {
    var id: Int
    var title: String
    static let indexes: [Index<StoredItem>] = [.on(\.title)]
}

private struct StoredList: Entity {
    var id: Int
    var name: String
    var items: [Ref<StoredItem>]
    static let relations: [Relation<StoredList>] = [.toMany(\.items, onDelete: .remove)]
    static let defaultOrder: [Sort<StoredList>] = [.descending(\.name)]
}

private let itemMapping = Mapping<Item, StoredItem>(id: { $0.id }) { item in
    StoredItem(id: item.id, title: item.title)
} object: { stored in
    Item(id: stored.id, title: stored.title)
}

private let listMapping = Mapping<List, StoredList>(id: { $0.id }) { list, context in
    let items = try list.items.map { try context.entity(for: $0, by: itemMapping) }
    return StoredList(id: list.id, name: list.name, items: items.map(\.ref))
} object: { stored, context in
    let items = try context.objects(stored.items.map(\.id), by: itemMapping)
    return List(id: stored.id, name: stored.name, items: items)
}

@Suite struct `The guide from PoqSDK` {
    private let directory: TemporaryDirectory
    private let store: Store
    private let lamp = Item(id: 1, title: "lamp")
    private let desk = Item(id: 2, title: "desk")

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(at: directory.store, entities: StoredItem.self, StoredList.self)
    }

    @Test func `makes object stores`() throws {
        let url = directory.url.appending(path: "other")
        let store = try Store(at: url, entities: StoredItem.self, StoredList.self)
        let items = store.objects(itemMapping)
        let recent = store.objects(itemMapping, keeping: 50, newestBy: \.id)
        try items.insert(lamp)
        #expect(try recent.all() == [lamp])
    }

    @Test func `reads and writes objects`() throws {
        let items = store.objects(itemMapping)
        try items.insert(lamp)
        try items.insert([desk, Item(id: 3, title: "chair")])
        let count = try items.count()
        let all = try items.all()
        let found = try items.fetch(FetchRequest(where: \.title == "lamp"))
        let first = try items.first(FetchRequest(sortedBy: [.ascending(\.title)]))
        #expect(count == 3 && all.count == 3 && found == [lamp] && first?.title == "chair")
        var request = FetchRequest<StoredItem>(where: .hasPrefix(\.title, "l"), limit: 100)
        request.limit = 10
        let some = try items.fetch(request)
        #expect(some == [lamp])
        try items.update(Item(id: 1, title: "desk lamp"))
        try items.upsert([Item(id: 1, title: "lamp"), Item(id: 4, title: "rug")])
        #expect(try items.count() == 4)
        let result = items.execute { try $0.update(Item(id: 9, title: "unknown")) }
        if case .failure(let error) = result { print(error) }
        #expect(code { _ = try result.get() } == .notFound)
        try store.write(by: "alice") { tx in
            try items.upsert(lamp, in: &tx)
            try items.delete(desk, in: &tx)
        }
        let isDeleted = try items.delete(lamp)
        try items.delete([lamp, desk])
        try items.deleteAll()
        #expect(try isDeleted && items.count() == 0)
    }

    @Test func `keeps the newest`() throws {
        let recent = store.objects(itemMapping, keeping: 3, newestBy: \.id)
        try recent.insert((1...5).map { Item(id: $0, title: "item \($0)") })
        let newestFirst = try recent.all()
        #expect(newestFirst.map(\.id) == [5, 4, 3])
    }

    @Test func `maps relations`() throws {
        let lists = store.objects(listMapping)
        try lists.insert(List(id: 1, name: "home", items: [lamp, desk]))
        let home = try lists.get(1)
        #expect(home?.items == [lamp, desk] && store.sequence == 1)
        try lists.insert(List(id: 2, name: "work", items: [desk]))
        #expect(try lists.all().map(\.name) == ["work", "home"])
        #expect(try store.count(StoredItem.self) == 2)
        let entity = try store.objects(itemMapping).entity(for: Item(id: 7, title: "new"))
        #expect(entity.id == 7)
        #expect(try store.count(StoredItem.self) == 2)
        try store.write { tx in
            try tx.update(StoredList.self, 2) { $0.items.append(Ref(1)) }
            try tx.delete(StoredItem.self, 2)
        }
        #expect(try lists.get(2)?.items == [lamp])
    }
}
