import Skyros
import TestSupport
import Testing

private struct Product: Entity, Equatable {
    var id: Int
    var title = ""
}

/// An entity without a relation, so its product may be missing.
private struct StoredWish: Entity {
    var id: Int
    var product: Ref<Product>
}

private struct Wish: Equatable {
    var id: Int
    var product: Product
}

@Suite struct `An object that needs a related record` {
    private let store: Store
    private let wishes: ObjectStore<Wish, StoredWish>
    private let lamp = Product(id: 7, title: "lamp")

    init() throws {
        store = try Store(inMemory: Product.self, StoredWish.self)
        let mapping = Mapping<Wish, StoredWish>(id: { $0.id }) { wish, _ in
            StoredWish(id: wish.id, product: wish.product.ref)
        } object: { stored, context in
            Wish(id: stored.id, product: try context.require(stored.product))
        }
        wishes = store.objects(mapping)
        try store.write { [lamp] in try $0.insert(lamp) }
        try wishes.insert(Wish(id: 1, product: lamp))
    }

    @Test func `is read with it, or the error names what is missing`() throws {
        #expect(try wishes.get(1) == Wish(id: 1, product: lamp))
        try store.write { try $0.delete(lamp) }
        let error = failure(as: StoreError.self) { _ = try wishes.get(1) }
        #expect(error?.code == .brokenReference)
        #expect(error?.place.entity == "Product" && error?.place.ids == [RecordID(7)])
        #expect(error?.message.contains("there is no Product 7") == true)
    }

    @Test func `is found and deleted by its id, without it`() throws {
        try store.write { try $0.delete(lamp) }
        #expect(try wishes.exists(id: 1))
        try store.write { tx in
            let isThere = try wishes.exists(id: 1, in: tx)
            let isDeleted = try wishes.delete(id: 1, in: &tx)
            let isLeft = try wishes.exists(id: 1, in: tx)
            #expect(isThere && isDeleted && !isLeft)
        }
        #expect(try !wishes.exists(id: 1))
        #expect(try !wishes.delete(id: 1))
        #expect(store.sequence == 4)
    }
}
