import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `An object store` {
    private func open(_ medium: Medium) throws -> (store: Store, directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        return (try Wishes.open(medium, directory), directory)
    }

    private func viewed(_ numbers: [Int]) -> [Viewed] {
        numbers.map { Viewed(id: $0, seenAt: $0) }
    }

    @Test(arguments: Medium.allCases)
    func `S-092: is one of several on a store, which share its records`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let plain = store.objects(StoredItem.self)
        let mapped = store.objects(Wishes.items)
        try plain.insert(StoredItem(id: 1, title: "book"))
        #expect(try mapped.all() == [Item(id: 1, title: "book")])
        try mapped.insert(Item(id: 2, title: "lamp"))
        #expect(try plain.all().map(\.title) == ["book", "lamp"])
        #expect(try store.objects(Viewed.self).count() == 0)
    }

    @Test(arguments: Medium.allCases)
    func `S-093: maps objects both ways, by their identity`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        let item = Item(id: 7, title: "book")
        try store.objects(Wishes.items).insert(item)
        #expect(try store.objects(Wishes.items).all() == [item])
        #expect(try store.get(StoredItem.self, 7)?.title == "book")
        guard medium == .disk else { return }
        try store.close()
        let again = try Wishes.open(medium, directory)
        #expect(try again.objects(Wishes.items).get(7) == item)
    }

    @Test(arguments: Medium.allCases)
    func `S-094: counts and fetches, one and many`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let items = store.objects(Wishes.items)
        try items.insert([3, 1, 2].map { Item(id: $0, title: "t\($0)") })
        #expect(try items.count() == 3)
        #expect(try items.all().map(\.id) == [1, 2, 3])
        let request = FetchRequest<StoredItem>(
            where: \.id > 1, sortedBy: [.descending(\.title)], limit: 5)
        #expect(try items.fetch(request).map(\.id) == [3, 2])
        #expect(try items.first(request)?.id == 3)
        #expect(try items.first(FetchRequest(where: \.id > 9)) == nil)
        #expect(try items.first(FetchRequest(limit: 0)) == nil)
        #expect(try items.get(2)?.title == "t2")
        #expect(try items.get(9) == nil)
    }

    @Test(arguments: Medium.allCases)
    func `S-095: inserts one and many, each call as one event`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        let objects = store.objects(Viewed.self)
        try objects.insert(Viewed(id: 1, seenAt: 1))
        try objects.by("alice", because: "import").insert(viewed([2, 3]))
        let events = try store.allEvents
        #expect(events.map(\.changes.count) == [1, 2])
        #expect(events.map(\.metadata.actor) == [nil, "alice"])
        #expect(events[1].metadata.reason == "import")
        let error = #expect(throws: StoreError.self) { try objects.insert(viewed([4, 3, 2])) }
        #expect(error?.code == .duplicateID)
        #expect(error?.place.ids == [RecordID(3), RecordID(2)])
        #expect(try objects.count() == 3)
        guard medium == .disk else { return }
        try store.close()
        #expect(try Wishes.open(medium, directory).objects(Viewed.self).count() == 3)
    }

    @Test(arguments: Medium.allCases)
    func `S-096: updates what exists, or writes nothing`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let lists = store.objects(Wishes.lists)
        try lists.insert(["a", "b"].map { Wishlist(id: $0) })
        try lists.update(Wishlist(id: "a", items: [Item(id: 1, title: "book")]))
        #expect(try lists.get("a")?.items.map(\.title) == ["book"])
        // What the absent one relates to is not written either, nor if the block continues.
        let absent = Wishlist(id: "x", items: [Item(id: 2, title: "lamp")])
        let error = #expect(throws: StoreError.self) {
            try lists.update([Wishlist(id: "b", items: absent.items), absent])
        }
        #expect(error?.code == .notFound)
        #expect(error?.place.ids == [RecordID("x")])
        try store.write { tx in
            let found = code { try lists.update(absent, in: &tx) }
            #expect(found == .notFound)
        }
        #expect(store.sequence == 2)
        #expect(try store.count(StoredItem.self) == 1)
    }

    @Test(arguments: Medium.allCases)
    func `S-097: has one object for each identity`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let objects = store.objects(Viewed.self)
        for time in 1...3 { try objects.upsert(Viewed(id: 1, seenAt: time)) }
        #expect(try objects.all() == [Viewed(id: 1, seenAt: 3)])
        let failures = Locked(0)
        inParallel(80, threads: 8) { number in
            if (try? objects.upsert(Viewed(id: 2, seenAt: number))) == nil {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(try objects.count() == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-098: deletes by identity, one, many and all`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let items = store.objects(Wishes.items)
        try items.insert((1...6).map { Item(id: $0, title: "\($0)") })
        #expect(try items.delete(Item(id: 1, title: "another")))
        #expect(try items.delete([2, 3, 99].map { Item(id: $0, title: "") }) == 2)
        #expect(try items.all().map(\.id) == [4, 5, 6])
        #expect(try items.deleteAll() == 3)
        #expect(try items.count() == 0)
        #expect(try store.allEvents.map(\.changes.count) == [6, 1, 2, 1])
    }

    @Test(arguments: Medium.allCases)
    func `S-102: gives a result instead of throwing`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let objects = store.objects(Viewed.self)
        var callCount = 0
        let failed = objects.execute { objects in
            callCount += 1
            try objects.insert(Viewed(id: 1, seenAt: 1))
            throw Refused()
        }
        #expect(callCount == 1)
        #expect(throws: Refused()) { try failed.get() }
        // Each call in it was its own event.
        #expect(try objects.count() == 1)
        #expect(try objects.execute { try $0.all() }.get().map(\.id) == [1])
    }

    @Test(arguments: Medium.allCases)
    func `S-072: has mutations that return, throw, or give a result`(medium: Medium) throws {
        let (store, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let objects = store.objects(Viewed.self)
        let one = Viewed(id: 1, seenAt: 1)
        #expect(try objects.delete(one) == false)
        try objects.insert(one)
        #expect(code { try objects.insert(one) } == .duplicateID)
        let result = objects.execute { try $0.insert(one) }
        #expect(code { _ = try result.get() } == .duplicateID)
        #expect(try objects.delete(one))
        #expect(try store.write { try $0.delete(Viewed.self, 1) } == false)
    }
}
