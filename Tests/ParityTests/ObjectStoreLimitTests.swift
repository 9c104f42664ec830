import Skyros
import TestSupport
import Testing

@Suite struct `An object store with a limit` {
    private func open(
        _ medium: Medium, keeping count: Int = 3
    ) throws -> (objects: ObjectStore<Viewed, Viewed>, directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        let store = try Wishes.open(medium, directory)
        return (store.objects(Viewed.self, keeping: count, newestBy: \.seenAt), directory)
    }

    private func viewed(_ numbers: some Sequence<Int>) -> [Viewed] {
        numbers.map { Viewed(id: $0, seenAt: $0) }
    }

    @Test(arguments: Medium.allCases)
    func `S-099: keeps the newest, and evicts in the event that adds`(medium: Medium) throws {
        let (objects, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let store = objects.store
        try store.write { try $0.insert(User.john) }
        for one in viewed(1...5) { try objects.insert(one) }
        #expect(try objects.all().map(\.id) == [5, 4, 3])
        #expect(try store.allEvents.map(\.changes.count) == [1, 1, 1, 1, 2, 2])
        try objects.insert(viewed([9, 6, 8, 7, 10]))
        #expect(try objects.all().map(\.id) == [10, 9, 8])
        // What was evicted in the block that added it was never there.
        #expect(try store.event(7)?.changes.count == 6)
        #expect(try store.all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-099: evicts nothing where an upsert replaces`(medium: Medium) throws {
        let (objects, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        // More than the limit, past the object store.
        try objects.store.write { try $0.insert(viewed(1...5)) }
        try objects.upsert(Viewed(id: 1, seenAt: 100))
        try objects.update(Viewed(id: 2, seenAt: 50))
        #expect(try objects.all().map(\.id) == [1, 2, 5, 4, 3])
        try objects.upsert([Viewed(id: 3, seenAt: 60), Viewed(id: 6, seenAt: 1)])
        #expect(try objects.all().map(\.id) == [1, 3, 2])
    }

    @Test(arguments: Medium.allCases)
    func `S-099: trims what is stored already at the next insertion`(medium: Medium) throws {
        let (objects, directory) = try open(medium, keeping: 2)
        defer { withExtendedLifetime(directory) {} }
        try objects.store.objects(Viewed.self).insert(viewed(1...6))
        #expect(try objects.count() == 6)
        try objects.insert([Viewed]())
        #expect(try objects.count() == 6)
        try objects.insert(Viewed(id: 7, seenAt: 7))
        #expect(try objects.all().map(\.id) == [7, 6])
    }

    @Test(arguments: Medium.allCases)
    func `S-099: keeps none below 1, and smaller ids of equal values`(medium: Medium) throws {
        let (objects, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        try objects.insert((1...5).map { Viewed(id: $0, seenAt: 1) })
        #expect(try objects.all().map(\.id) == [1, 2, 3])
        for count in [0, -1] {
            let none = objects.store.objects(Viewed.self, keeping: count, newestBy: \.seenAt)
            try none.insert(Viewed(id: 100 + count, seenAt: 9))
            #expect(try none.count() == 0)
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-099: orders objects of a mapping by a field of their entity`(medium: Medium) throws {
        let (objects, directory) = try open(medium)
        defer { withExtendedLifetime(directory) {} }
        let items = objects.store.objects(Wishes.items, keeping: 2, newestBy: \.title)
        try items.insert(["b", "d", "a", "c"].enumerated().map { Item(id: $0, title: $1) })
        #expect(try items.all().map(\.title) == ["d", "c"])
    }
}
