import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `An explanation of a request` {
    private typealias Value = Item<Indexed>

    private let store: Store
    private let id = UUID()

    init() throws {
        store = try Store(inMemory: Item<Indexed>.self)
    }

    private func explain(
        _ filter: Filter<Value>?, _ sort: Sort<Value>...
    ) throws -> QueryExplanation {
        try store.explain(FetchRequest(where: filter, sortedBy: sort))
    }

    private func accesses(_ filter: Filter<Value>) throws -> [QueryExplanation.Access] {
        try explain(filter).accesses
    }

    @Test func `names the index of each side of an or`() throws {
        let both = try explain(\.group == "a" || \.weight < 2)
        #expect(
            both.accesses == [
                .index(fields: ["group"], rangeCount: 1), .index(fields: ["weight"], rangeCount: 1),
            ])
        #expect(!both.testsRecords)
        #expect(both.sortsRecords)
        #expect(both.description == "index on group: 1 range; index on weight: 1 range; sorts")
    }

    @Test func `has a range for each value of a list`() throws {
        let list = try explain(.in(\.group, ["a", "b", "a"]))
        #expect(list.accesses == [.index(fields: ["group"], rangeCount: 2)])
        #expect(!list.testsRecords)
        #expect(try accesses(.in(\.group, [])).isEmpty)
        let within = try explain(.in(\.group, ["a", "b"]) && \.rank > 1)
        #expect(within.accesses == [.index(fields: ["group", "rank"], rangeCount: 2)])
        #expect(!within.testsRecords)
    }

    @Test func `looks ids up`() throws {
        #expect(try explain(\.id == id).accesses == [.ids(count: 1)])
        let ids = try explain(.in(\.id, [id, UUID()]) || \.group == "a")
        #expect(ids.accesses == [.index(fields: ["group"], rangeCount: 1), .ids(count: 2)])
        #expect(!ids.testsRecords)
        #expect(try explain(\.id == id && \.rank == 1).testsRecords)
    }

    @Test func `reads the texts with a prefix, and tests them`() throws {
        let prefix = try explain(.hasPrefix(\.group, "a"))
        #expect(prefix.accesses == [.index(fields: ["group"], rangeCount: 1)])
        #expect(prefix.testsRecords)
        #expect(
            try explain(.hasPrefix(\.note, "a")).accesses == [
                .index(fields: ["note"], rangeCount: 1)
            ])
        #expect(try explain(.hasSuffix(\.group, "a")).isScan)
        #expect(try explain(.contains(\.group, "a")).isScan)
    }

    @Test func `shows a closure as a scan`() throws {
        let scan = try explain(.test { $0.rank > 3 })
        #expect(scan.isScan)
        #expect(scan.description == "scan of all records; tests each record; sorts")
        let beside = try explain(\.group == "a" && .test { $0.rank > 3 })
        #expect(beside.accesses == [.index(fields: ["group"], rangeCount: 1)])
        #expect(beside.testsRecords)
    }

    @Test func `tells a whole index from a part of it`() throws {
        let whole = try explain(nil, .ascending(\.weight))
        #expect(whole.accesses == [.wholeIndex(fields: ["weight"])])
        #expect(!whole.testsRecords && !whole.sortsRecords)
        #expect(whole.description == "whole index on weight")
        #expect(try explain(.test { $0.isOpen }, .ascending(\.weight)).testsRecords)
        #expect(try explain(nil, .byID).accesses == [.scan])
        #expect(try !explain(nil).isScan)
    }

    @Test func `understands truth values and absence, also negated`() throws {
        let index = QueryExplanation.Access.index(
            fields: ["isOpen", "note", "rank"], rangeCount: 1)
        #expect(try accesses(Filter(\.isOpen)) == [index])
        #expect(try accesses(!\.isOpen) == [index])
        #expect(try accesses(!(\.isOpen == true)) == [index])
        #expect(try accesses(!\.isOpen && \.note != nil) == [index])
        #expect(try accesses(\.note != nil) == [.index(fields: ["note"], rangeCount: 1)])
        #expect(try !explain(\.note != nil).testsRecords)
    }

    @Test func `joins ranges that overlap`() throws {
        let ranges = try explain(\.weight < 3 || .between(\.weight, 1...5) || \.weight == 9)
        #expect(ranges.accesses == [.index(fields: ["weight"], rangeCount: 2)])
        let same = try explain(\.group == "a" && (.test { $0.isOpen } || .test { $0.rank == 1 }))
        #expect(same.accesses == [.index(fields: ["group"], rangeCount: 1)])
        let parts = try explain((\.group == "a" || \.group == "b") && (\.rank == 1 || \.rank == 2))
        #expect(parts.accesses == [.index(fields: ["group", "rank"], rangeCount: 4)])
        #expect(!parts.testsRecords)
    }

    @Test func `understands the tree of a predicate`() throws {
        let (a, b, ids) = ("a", "b", [id])
        let either = Filter<Value>(#Predicate { $0.group == a || $0.note == b })
        #expect(
            try accesses(either) == [
                .index(fields: ["group"], rangeCount: 1), .index(fields: ["note"], rangeCount: 1),
            ])
        let list = Filter<Value>(#Predicate { [a, b].contains($0.group) })
        #expect(try accesses(list) == [.index(fields: ["group"], rangeCount: 2)])
        #expect(try accesses(Filter(#Predicate { ids.contains($0.id) })) == [.ids(count: 1)])
        #expect(try !explain(Filter(#Predicate { !$0.isOpen })).isScan)
    }

    @Test func `leaves out conditions of which there are too many`() throws {
        let many = Filter<Value>.in(\.group, (0..<50).map { "\($0)" })
        #expect(
            try explain(many && .in(\.rank, 0..<50)).accesses == [
                .index(fields: ["group"], rangeCount: 50)
            ])
        #expect(try explain(.in(\.group, (0..<500).map { "\($0)" })).isScan)
    }

    @Test func `is a scan of texts that an index does not order`() throws {
        var random = RandomSource(seed: 1)
        var item = Value.random(&random)
        item.group = "e\u{301}"
        let odd = item
        try store.write { try $0.insert(odd) }
        #expect(try explain(.hasPrefix(\.group, "a")).isScan)
        #expect(try !explain(.in(\.group, ["a", "b"])).isScan)
        try store.write { tx in
            try tx.delete(odd)
            #expect(try !tx.explain(FetchRequest<Value>(where: .hasPrefix(\.group, "a"))).isScan)
        }
    }
}

@Suite struct `An id of text` {
    private struct Tag: Entity {
        var id: String
        var size = 0
    }

    /// The Kelvin sign equals K, and other letters have several forms: such ids are scanned for.
    @Test func `is found in each form that Swift finds equal`() throws {
        let ids = ["K", "\u{212A}", "k", "\u{E9}", "e\u{301}", ";", "\u{37E}", "tag 7", "日本"]
        let store = try Store(inMemory: Tag.self)
        try store.write { try $0.insert(ids.map { Tag(id: $0) }) }
        for id in ids + ["tag 8"] {
            let expected = ids.filter { $0 == id }.count
            #expect(try store.count(Tag.self, where: \.id == id) == expected)
            #expect(try store.count(Tag.self, where: .in(\.id, [id, "tag 7"])) <= expected + 1)
        }
        func explain(_ id: String) throws -> QueryExplanation {
            try store.explain(FetchRequest<Tag>(where: \.id == id))
        }
        #expect(try explain("tag 7").accesses == [.ids(count: 1)])
        #expect(try explain("K").isScan && explain("\u{E9}").isScan)
    }
}
