import Skyros
import TestSupport
import Testing

@Suite struct `A mapping of related objects` {
    private let book = Item(id: 1, title: "book")
    private let lamp = Item(id: 2, title: "lamp")

    private func open(_ medium: Medium) throws -> (store: Store, directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        return (try Wishes.open(medium, directory), directory)
    }

    @Test(arguments: Medium.allCases)
    func `S-100: finds or creates an entity without saving it`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let items = store.objects(Wishes.items)
        let lists = store.objects(Wishes.lists)
        let new = try items.entity(for: book)
        #expect(new == StoredItem(id: 1, title: "book"))
        #expect(try lists.entity(for: Wishlist(id: "a", items: [book, lamp])).itemIDs == [1, 2])
        #expect(store.sequence == 0)
        #expect(try store.count(StoredItem.self) == 0)

        try store.write { try $0.insert(StoredItem(id: 1, title: "old", note: "signed")) }
        let found = try items.entity(for: book)
        #expect(found == StoredItem(id: 1, title: "book", note: "signed"))
        #expect(try store.get(StoredItem.self, 1)?.title == "old")

        // In its owner's mapping it is saved with the owner, in one event.
        try lists.insert(Wishlist(id: "a", items: [book, lamp]))
        #expect(store.sequence == 2)
        #expect(try store.event(2)?.changes.count == 3)
        #expect(try store.get(StoredItem.self, 1) == found)
    }

    @Test(arguments: Medium.allCases)
    func `S-101: shares items between lists, and keeps their order`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        let lists = store.objects(Wishes.lists)
        let both = [
            Wishlist(id: "a", items: [lamp, book]), Wishlist(id: "b", items: [book, lamp]),
        ]
        try lists.insert(both)
        #expect(try lists.all() == both)
        #expect(try store.count(StoredItem.self) == 2)
        #expect(store.sequence == 1)

        // An item that one list changes is the other's too.
        let atlas = Item(id: 1, title: "atlas")
        try lists.update(Wishlist(id: "a", items: [atlas]))
        #expect(try lists.get("b")?.items == [atlas, lamp])

        // Deleting a list keeps its items; a list without an item leaves it out.
        try lists.delete(Wishlist(id: "a"))
        #expect(try store.count(StoredItem.self) == 2)
        try store.objects(Wishes.items).delete(lamp)
        #expect(try lists.get("b")?.items == [atlas])
        guard medium == .disk else { return }
        try store.close()
        let again = try Wishes.open(medium, directory).objects(Wishes.lists)
        #expect(try again.all() == [Wishlist(id: "b", items: [atlas])])
    }

    @Test(arguments: Medium.allCases)
    func `S-101: that asks for itself is refused`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let endless = store.objects(Self.endless())
        #expect(code { try endless.insert(Wishlist(id: "a")) } == .invalidInput)
        #expect(store.sequence == 0)
        try store.write { try $0.insert(StoredList(id: "a", itemIDs: [])) }
        #expect(code { _ = try endless.all() } == .invalidInput)
    }

    /// Both ways ask for the same record again.
    private static func endless() -> Mapping<Wishlist, StoredList> {
        Mapping(id: { $0.id }) { list, context in
            try context.entity(for: list, by: endless())
        } object: { stored, context in
            try context.object(stored.id, by: endless()) ?? Wishlist(id: "none")
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-093: must keep the identity of an object`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let wrong = Mapping<Item, StoredItem>(id: { $0.id }) { item in
            StoredItem(id: item.id + 1, title: item.title)
        } object: { stored in
            Item(id: stored.id, title: stored.title)
        }
        let error = #expect(throws: StoreError.self) {
            try store.objects(wrong).insert(book)
        }
        #expect(error?.code == .idChanged)
        #expect(error?.place.ids == [RecordID(1)])
        #expect(try store.count(StoredItem.self) == 0)
    }
}
