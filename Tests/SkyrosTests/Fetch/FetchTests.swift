import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A fetch` {
    private typealias Value = Item<Indexed>

    private let store: Store
    private let values: [Item<Indexed>]

    init() throws {
        var random = RandomSource(seed: 5)
        store = try Store(inMemory: Item<Indexed>.self)
        values = (0..<50).map { _ in Item<Indexed>.random(&random) }
        try store.write { [values] in try $0.insert(values) }
    }

    @Test func `takes Foundation's predicates and sort descriptors`() throws {
        let request = FetchRequest<Value>(
            predicate: #Predicate { $0.rank > 0 },
            sortBy: [SortDescriptor(\.weight), SortDescriptor(\.rank)],
            offset: 1, limit: 5)
        let expected = values.filter { $0.rank > 0 }.sorted { a, b in
            if a.weight != b.weight { return a.weight < b.weight }
            if a.rank != b.rank { return a.rank < b.rank }
            return RecordID(a.id) < RecordID(b.id)
        }
        #expect(try store.fetch(request) == Array(expected[1..<6]))
        #expect(try store.count(request) == 5)
    }

    @Test func `without a sort is in the order of the ids`() throws {
        let ids = values.map { RecordID($0.id) }.sorted()
        #expect(try store.all(Value.self).map { RecordID($0.id) } == ids)
        #expect(
            try store.all(Value.self, offset: 3, limit: 2).map { RecordID($0.id) } == ids[3..<5]
                + [])
    }

    @Test func `of nothing gives nothing`() throws {
        #expect(try store.all(Value.self, limit: 0).isEmpty)
        #expect(try store.all(Value.self, offset: 50).isEmpty)
        #expect(try store.first(Value.self, where: \.rank == 99) == nil)
    }

    @Test func `takes a negative offset or limit as zero`() throws {
        let plans: [(Filter<Value>?, [Sort<Value>])] = [
            (nil, []), (\.group == "a", []), (nil, [.ascending(\.weight)]),
            (Filter { $0.rank < 9 }, []), (Filter { $0.rank < 9 }, [.ascending(\.rank)]),
        ]
        for (filter, sort) in plans {
            let all = try store.all(Value.self, where: filter, sortedBy: sort)
            for offset in [-1, .min] {
                let request = FetchRequest(where: filter, sortedBy: sort, offset: offset)
                #expect(try store.fetch(request) == all)
                #expect(try store.count(request) == all.count)
            }
            for limit in [-1, .min] {
                let request = FetchRequest(where: filter, sortedBy: sort, limit: limit)
                #expect(try store.fetch(request).isEmpty)
                #expect(try store.count(request) == 0)
            }
        }
    }

    @Test func `finds texts that are equal in Swift, whatever their bytes`() throws {
        let wanted = values.filter { $0.group == "\u{E9}" }
        #expect(Set(wanted.map { $0.group.utf8.count }) == [2, 3])
        for group in ["\u{E9}", "e\u{301}"] {
            let found = try store.all(Value.self, where: \.group == group)
            #expect(Set(found.map(\.id)) == Set(wanted.map(\.id)))
        }
    }

    @Test func `finds no NaN, as nothing equals it`() throws {
        var odd = values[0]
        odd.id = UUID()
        odd.weight = .nan
        try store.write { [odd] in try $0.insert(odd) }
        #expect(try store.all(Value.self, where: \.weight == .nan).isEmpty)
        #expect(
            try store.all(Value.self, where: \.weight > -.infinity).allSatisfy { !$0.weight.isNaN })
        #expect(try store.count(Value.self, where: !(\.weight == .nan)) == 51)
    }

    @Test func `passes on what a filter throws`() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try store.all(Value.self, where: Filter { _ in throw Refusal() })
        }
    }

    @Test func `compares a field that may be nil, which no comparison finds`() throws {
        func scores(_ filter: Filter<Value>) throws -> [Double?] {
            let found = try store.all(Value.self, where: filter)
            #expect(try values.filter(filter.matches).count == found.count)
            return Set(found.map(\.score)).sorted { ($0 ?? -1) < ($1 ?? -1) }
        }
        #expect(try scores(\.score < 2) == [0, 1])
        #expect(try scores(\.score <= 2) == [0, 1, 2])
        #expect(try scores(\.score > 2) == [3, 4])
        #expect(try scores(\.score >= 2) == [2, 3, 4])
        #expect(try scores(\.score == nil) == [nil])
        #expect(try scores(!(\.score != nil)) == [nil])
    }

    @Test func `takes an order from a sort descriptor, in either direction`() throws {
        let sorted = values.map(\.rank).sorted()
        for (order, expected) in [(SortOrder.forward, sorted), (.reverse, sorted.reversed())] {
            let sort = Sort<Value>(SortDescriptor(\.rank, order: order))
            let ranks = try store.all(Value.self, sortedBy: [sort, .descending(\.score)])
                .map(\.rank)
            #expect(ranks == expected)
        }
    }

    @Test func `asks any source in one way`() throws {
        func found(in source: borrowing some RecordSource & ~Copyable) throws -> [Bool] {
            #expect(try source.snapshot.count("Item<Indexed>") == source.count(Value.self))
            return try [source.exists(Value.self, values[0].id), source.exists(Value.self, UUID())]
        }
        #expect(try found(in: store) == [true, false])
        #expect(try found(in: store.snapshot) == [true, false])
        try store.write { tx in
            #expect(try found(in: tx) == [true, false])
            try tx.delete(values[0])
            #expect(try found(in: tx) == [false, false])
        }
    }

    @Test func `lends a value without a copy of it`() throws {
        let rank = try store.withValue(of: Value.self, values[7].id) { $0.rank }
        #expect(rank == values[7].rank)
        #expect(try store.withValue(of: Value.self, UUID()) { $0.rank } == nil)
        let before = store.snapshot
        try store.write { tx in
            try tx.update(Value.self, values[7].id) { $0.rank += 1 }
            let raised = try tx.withValue(of: Value.self, values[7].id) { $0.rank }
            #expect(raised == values[7].rank + 1)
        }
        #expect(try before.withValue(of: Value.self, values[7].id) { $0.rank } == rank)
        #expect(try before.withValue(of: Value.self, UUID()) { $0.rank } == nil)
    }

    @Test func `reads the state that each source shows`() throws {
        let before = store.snapshot
        try store.write { tx in
            try tx.delete(values[0])
            #expect(try tx.snapshot.count("Item<Indexed>") == 49)
            #expect(store.snapshot.count("Item<Indexed>") == 50)
        }
        #expect(store.snapshot.sequence == 2)
        #expect(before.snapshot.sequence == 1)
    }

    @Test func `decodes what came from the log, with or without an index`() throws {
        let directory = try TemporaryDirectory()
        let first = try Store(at: directory.store, entities: Value.self)
        try first.write { try $0.insert(values) }
        try first.close()
        let again = try Store(at: directory.store, entities: Value.self)
        let order = [Sort<Value>.ascending(\.rank)]
        let expected = try store.all(Value.self, where: \.group == "a", sortedBy: order)
        #expect(try again.all(Value.self, where: \.group == "a", sortedBy: order) == expected)
        for _ in 0..<2 {
            let note = try again.withValue(of: Value.self, values[3].id) { $0.note }
            #expect(note == values[3].note)
        }
        #expect(try again.exists(Value.self, values[3].id))
        #expect(try !again.exists(Value.self, UUID()))
        try again.close()
    }

    @Test func `by another type of the same name finds the same, without its indexes`() throws {
        struct Narrow: Entity {
            static let entityName = "Item<Indexed>"
            static let indexes: [Index<Narrow>] = [.on(\.rank)]
            var id: UUID
            var rank: Int
        }
        let narrow = try store.all(Narrow.self, where: \.rank == 1)
        #expect(Set(narrow.map(\.id)) == Set(values.filter { $0.rank == 1 }.map(\.id)))
        #expect(try store.get(Narrow.self, values[0].id)?.rank == values[0].rank)
        #expect(try store.exists(Narrow.self, values[0].id))
    }
}
