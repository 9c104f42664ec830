// Three lists of a shop's app: recently viewed, search history, wishlist. Each is an object store
// that keeps its newest entries only.
//
//     wishlist [STORE]

import Foundation
import Skyros

do {
    let url = URL(filePath: CommandLine.arguments.dropFirst().first ?? "Shop.skyros")
    let shop = Shop(try Store(at: url, entities: Shop.entities))

    let lamp = Product(id: 1, title: "Desk lamp", cents: 4_900)
    let desk = Product(id: 2, title: "Desk", cents: 29_900)
    try shop.products.upsert([lamp, desk])

    let found = try shop.search("desk")
    print("found:", found.map(\.title))
    for product in found { try shop.view(product.id) }
    print("recently viewed:", try shop.recentlyViewed().map(\.title))
    print("searches with “de”:", try shop.suggestions(for: "de"))

    try shop.wish(for: lamp, note: "for the new flat")
    try shop.products.update(Product(id: 1, title: "Desk lamp", cents: 3_900))
    for wish in try shop.wishlist() {
        print("wish:", wish.product.title, "for", wish.product.cents, "cents,", wish.note)
    }
    try shop.store.close()
} catch {
    print(error)
    exit(1)
}
