import Foundation
import Skyros
import TestSupport
import Testing

@testable import Wishlist

@Suite struct `A shop` {
    private let shop: Shop
    private let products = (1...150).map {
        Product(id: $0, title: "Product \($0)", cents: $0 * 100)
    }

    init() throws {
        shop = Shop(try Store(inMemory: Product.self, Viewed.self, Search.self, StoredWish.self))
        try shop.products.insert(products)
    }

    private func time(_ seconds: Int) -> Date {
        Date(timeIntervalSince1970: 1_700_000_000 + Double(seconds))
    }

    @Test func `remembers the products that were viewed last`() throws {
        for product in products.prefix(30) { try shop.view(product.id, at: time(product.id)) }
        #expect(try shop.recentlyViewed().map(\.id) == Array((11...30).reversed()))
        try shop.view(15, at: time(31))
        #expect(try shop.recentlyViewed().map(\.id).prefix(3) == [15, 30, 29])
        #expect(try shop.recentlyViewed().count == Shop.viewedMax)
    }

    @Test func `evicts a product in the event that views another one`() throws {
        for product in products.prefix(20) { try shop.view(product.id, at: time(product.id)) }
        let before = shop.store.sequence
        try shop.view(21, at: time(21))
        #expect(shop.store.sequence == before.next)
        #expect(try shop.store.event(before.next)?.changes.count == 2)
    }

    @Test func `shows no viewed product that is no longer sold`() throws {
        for product in products.prefix(3) { try shop.view(product.id, at: time(product.id)) }
        try shop.products.delete(products[1])
        #expect(try shop.recentlyViewed().map(\.id) == [3, 1])
    }

    @Test func `suggests earlier searches, each once`() throws {
        #expect(try shop.search("Product 12", at: time(1)).count == 11)
        _ = try shop.search("product", at: time(2))
        _ = try shop.search("PRODUCT 12", at: time(3))
        _ = try shop.search("lamp", at: time(4))
        #expect(try shop.suggestions(for: "Pro") == ["product 12", "product"])
        #expect(try shop.suggestions(for: "") == ["lamp", "product 12", "product"])
        for number in 1...20 { _ = try shop.search("\(number)", at: time(10 + number)) }
        #expect(try shop.suggestions(for: "").count == Shop.searchesMax)
        try shop.clearSearches()
        #expect(try shop.suggestions(for: "").isEmpty)
    }

    @Test func `keeps wishes with their products as they are now`() throws {
        try shop.wish(for: products[4], note: "birthday", at: time(1))
        try shop.products.update(Product(id: 5, title: "Better product", cents: 1))
        let wish = try #require(try shop.wishlist().first)
        #expect(wish.product.title == "Better product" && wish.note == "birthday")
        #expect(try shop.isWished(products[4]))
        #expect(try shop.remove(wish))
        #expect(try !shop.remove(wish))
        #expect(try shop.wishlist().isEmpty)
    }

    @Test func `keeps a limited number of wishes`() throws {
        for product in products { try shop.wish(for: product, at: time(product.id)) }
        let wishes = try shop.wishlist()
        #expect(wishes.count == Shop.wishesMax)
        #expect(wishes.first?.product.id == 150 && wishes.last?.product.id == 51)
    }

    @Test func `takes a product that is no longer sold from the wishlist`() throws {
        try shop.wish(for: products[4], at: time(1))
        try shop.products.delete(products[4])
        #expect(try shop.wishlist().isEmpty)
    }

    @Test func `forgets its lists as one event, and keeps its products`() throws {
        try shop.view(1, at: time(1))
        _ = try shop.search("lamp", at: time(2))
        try shop.wish(for: products[0], at: time(3))
        let before = shop.store.sequence
        try shop.forget()
        #expect(shop.store.sequence == before.next)
        #expect(try shop.recentlyViewed().isEmpty && shop.wishlist().isEmpty)
        #expect(try shop.suggestions(for: "").isEmpty)
        #expect(try shop.products.count() == 150)
    }
}
