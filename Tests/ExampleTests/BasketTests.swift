import Foundation
import Skyros
import TestSupport
import Testing

@testable import Basket

@Suite struct `A basket` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Dish.self, BasketLine.self)
        try store.write(by: "restaurant") { tx in
            try tx.insert([
                Dish(id: "margherita", name: "Margherita", cents: 850),
                Dish(id: "tiramisu", name: "Tiramisù", cents: 500),
            ])
        }
    }

    @Test func `is saved as one event by the customer`() throws {
        let editor = BasketEditor(store, by: "alice")
        try editor.set(1, of: "margherita", note: "extra basil")
        try editor.set(2, of: "margherita")
        try editor.set(1, of: "tiramisu")
        #expect(try editor.basket.totalCents == 2_200)
        #expect(try Basket(of: store).items.isEmpty)
        #expect(store.sequence == 1)

        try editor.save()
        let basket = try Basket(of: store)
        #expect(basket.totalCents == 2_200)
        #expect(basket.items.map(\.line.count) == [2, 1])
        #expect(basket.items.first?.line.note == "extra basil")
        #expect(store.sequence == 2)
        #expect(try store.event(2)?.metadata.actor == "alice")
        #expect(try store.event(2)?.changes.count == 2)
        #expect(try !editor.hasChanges)
    }

    @Test func `is as before when the edits are cancelled`() throws {
        let editor = BasketEditor(store, by: "alice")
        try editor.set(2, of: "margherita")
        #expect(try editor.hasChanges)
        try editor.cancel()
        #expect(try Basket(of: store).items.isEmpty)
        #expect(store.sequence == 1)
        #expect(code { try editor.save() } == .discarded)
    }

    @Test func `loses a dish that is set to 0`() throws {
        let editor = BasketEditor(store, by: "alice")
        try editor.set(2, of: "margherita")
        try editor.set(1, of: "tiramisu")
        try editor.save()
        try editor.set(0, of: "margherita")
        try editor.set(0, of: "margherita")
        try editor.save()
        #expect(try Basket(of: store).items.map(\.dish.id) == ["tiramisu"])
    }

    @Test func `has the prices of the menu when it is saved`() throws {
        let editor = BasketEditor(store, by: "alice")
        try editor.set(2, of: "margherita")
        try store.write(by: "restaurant") { tx in
            try tx.update(Dish.self, "margherita") { $0.cents = 900 }
        }
        #expect(try editor.basket.totalCents == 1_700)
        try editor.save()
        #expect(try editor.basket.totalCents == 1_800)
    }

    @Test func `of two devices has the changes of both`() throws {
        let phone = BasketEditor(store, by: "alice")
        try phone.set(1, of: "margherita")
        try phone.save()
        let tablet = BasketEditor(store, by: "bob")
        try phone.set(3, of: "margherita")
        try tablet.set(1, of: "margherita", note: "no basil")
        try phone.save()
        try tablet.save()
        let line = try #require(try Basket(of: store).items.first?.line)
        #expect(line.count == 3 && line.note == "no basil")
    }

    @Test func `with a dish that is off the menu is not saved, and kept for correction`() throws {
        let editor = BasketEditor(store, by: "alice")
        try editor.set(2, of: "margherita")
        try editor.set(1, of: "tiramisu")
        try store.write(by: "restaurant") { try $0.delete(Dish.self, "tiramisu") }
        let error = failure(as: StoreError.self) { try editor.save() }
        #expect(error?.code == .brokenReference)
        #expect(error?.place.references.map(\.entity) == ["BasketLine"])
        #expect(try Basket(of: store).items.isEmpty)

        try editor.set(0, of: "tiramisu")
        try editor.save()
        #expect(try Basket(of: store).items.map(\.dish.id) == ["margherita"])
    }

    @Test func `loses a line when its dish is taken off the menu`() throws {
        let editor = BasketEditor(store, by: "alice")
        try editor.set(1, of: "tiramisu")
        try editor.save()
        try store.write(by: "restaurant") { try $0.delete(Dish.self, "tiramisu") }
        #expect(try Basket(of: store).items.isEmpty)
    }
}
