import Foundation
import Skyros

/// What a shop's app remembers: a catalog, and three lists of which only the newest entries are
/// kept.
struct Shop {
    static let viewedMax = 20
    static let searchesMax = 10
    static let wishesMax = 100

    let store: Store
    let products: ObjectStore<Product, Product>
    private let viewed: ObjectStore<Viewed, Viewed>
    private let searches: ObjectStore<Search, Search>
    private let wishes: ObjectStore<Wish, StoredWish>

    init(_ store: Store) {
        self.store = store
        products = store.objects(Product.self)
        viewed = store.objects(Viewed.self, keeping: Self.viewedMax, newestBy: \.seenAt)
        searches = store.objects(Search.self, keeping: Self.searchesMax, newestBy: \.searchedAt)
        wishes = store.objects(Self.mapping, keeping: Self.wishesMax, newestBy: \.addedAt)
    }

    static let entities: [any Entity.Type] = [
        Product.self, Viewed.self, Search.self, StoredWish.self,
    ]

    /// A wish is stored with the id of its product, and read with the product as it is now.
    private static let mapping = Mapping<Wish, StoredWish>(id: \.product.id) { wish, _ in
        StoredWish(
            id: wish.product.id, product: wish.product.ref, note: wish.note, addedAt: wish.addedAt)
    } object: { stored, context in
        let product = try context.require(stored.product)
        return Wish(product: product, note: stored.note, addedAt: stored.addedAt)
    }

    // MARK: Recently viewed

    func view(_ id: Product.ID, at time: Date = .now) throws {
        try viewed.upsert(Viewed(id: id, seenAt: time))
    }

    /// The products that were looked at, the last one first.
    func recentlyViewed() throws -> [Product] {
        try store.read { snapshot in
            let ids = try viewed.all(in: snapshot).map(\.id)
            return try snapshot.get(Product.self, ids).compactMap(\.self)
        }
    }

    // MARK: Search history

    /// Remembers a search, and returns the products that it finds.
    func search(_ text: String, at time: Date = .now) throws -> [Product] {
        try searches.upsert(Search(id: text.lowercased(), searchedAt: time))
        return try store.all(
            Product.self, where: .test { $0.title.localizedCaseInsensitiveContains(text) })
    }

    /// Earlier searches that begin with a text, the last one first.
    func suggestions(for prefix: String) throws -> [String] {
        let request = FetchRequest<Search>(where: .hasPrefix(\.id, prefix.lowercased()))
        return try searches.fetch(request).map(\.id)
    }

    func clearSearches() throws {
        try searches.deleteAll()
    }

    // MARK: Wishlist

    /// Adds a product, or changes the note of a wish.
    func wish(for product: Product, note: String = "", at time: Date = .now) throws {
        try wishes.upsert(Wish(product: product, note: note, addedAt: time))
    }

    /// Takes a wish from the list; returns whether it was on it.
    @discardableResult
    func remove(_ wish: Wish) throws -> Bool {
        try wishes.delete(wish)
    }

    /// The wishes, the newest first.
    func wishlist() throws -> [Wish] {
        try wishes.all()
    }

    func isWished(_ product: Product) throws -> Bool {
        try wishes.exists(id: product.id)
    }

    /// Signs out: forgets all three lists, and keeps the catalog.
    func forget() throws {
        try store.write(because: "signed out") { tx in
            try viewed.deleteAll(in: &tx)
            try searches.deleteAll(in: &tx)
            try wishes.deleteAll(in: &tx)
        }
    }
}
