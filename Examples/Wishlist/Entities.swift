import Foundation
import Skyros

/// A product of the shop.
struct Product: Entity, Equatable {
    var id: Int
    var title: String
    var cents: Int
}

/// When a customer last looked at a product.
struct Viewed: Entity {
    var id: Product.ID
    var seenAt: Date
    static let indexes: [Index<Viewed>] = [.on(\.seenAt)]
}

/// When a customer last searched for a text.
struct Search: Entity {
    /// The text, in lower case: the same search is the same record.
    var id: String
    var searchedAt: Date
    static let indexes: [Index<Search>] = [.on(\.searchedAt)]
}

/// A wish as the app uses it: with its product. It is no entity; see `Shop.wishes`.
struct Wish: Equatable {
    var product: Product
    var note = ""
    var addedAt: Date
}

/// A wish as it is stored: with a reference to its product.
struct StoredWish: Entity {
    var id: Product.ID
    var product: Ref<Product>
    var note: String
    var addedAt: Date
    static let indexes: [Index<StoredWish>] = [.on(\.addedAt)]
    static let relations: [Relation<StoredWish>] = [.to(\.product, onDelete: .cascade)]
}
