import Foundation
import Skyros
import TestSupport

struct Viewed: Entity, Equatable {
    var id: Int
    var seenAt: Int
    var title = ""
    static let indexes: [Index<Viewed>] = [.on(\.seenAt)]
}

/// An item as the app sees it.
struct Item: Equatable {
    var id: Int
    var title: String
}

/// A list as the app sees it, with its items.
struct Wishlist: Equatable {
    var id: String
    var items: [Item] = []
}

struct StoredItem: Entity, Equatable {
    static let entityName = "Item"
    var id: Int
    var title: String
    /// Not in the app's type.
    var note: String?
}

struct StoredList: Entity, Equatable {
    static let entityName = "Wishlist"
    var id: String
    var itemIDs: [Int]
}

/// How the app's types are stored.
enum Wishes {
    static let items = Mapping<Item, StoredItem>(id: { $0.id }) { item, context in
        let note = try context.get(StoredItem.self, item.id)?.note
        return StoredItem(id: item.id, title: item.title, note: note)
    } object: { stored, _ in
        Item(id: stored.id, title: stored.title)
    }

    static let lists = Mapping<Wishlist, StoredList>(id: { $0.id }) { list, context in
        let stored = try list.items.map { try context.entity(for: $0, by: items) }
        return StoredList(id: list.id, itemIDs: stored.map(\.id))
    } object: { stored, context in
        Wishlist(id: stored.id, items: try context.objects(stored.itemIDs, by: items))
    }

    /// Opens a store with these entities; one in memory is new each time.
    static func open(_ medium: Medium, _ directory: TemporaryDirectory) throws -> Store {
        let types: [any Entity.Type] = [Viewed.self, StoredItem.self, StoredList.self, User.self]
        return switch medium {
        case .disk: try SharedStore.open(at: directory.store, entities: types)
        case .memory: try Store(inMemory: Viewed.self, StoredItem.self, StoredList.self, User.self)
        }
    }
}
