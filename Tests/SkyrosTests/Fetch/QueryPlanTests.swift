import Foundation
import Testing

@testable import Skyros

@Suite struct `A query plan` {
    private typealias Value = Item<Indexed>

    private let store: Store

    init() throws {
        store = try Store(inMemory: Item<Indexed>.self)
    }

    private func plan(
        _ filter: Filter<Value>?, _ sort: Sort<Value>...
    ) throws -> QueryPlan {
        let index = try #require(try store.snapshot.tableIndex(of: Value.self))
        return store.snapshot.tables[index].plan(FetchRequest(where: filter, sortedBy: sort))
    }

    private func explain(
        _ filter: Filter<Value>?, _ sort: Sort<Value>...
    ) throws -> QueryExplanation {
        try store.explain(FetchRequest(where: filter, sortedBy: sort))
    }

    /// The fields of the index that the plan uses.
    private func fields(_ plan: QueryPlan) throws -> [String]? {
        let index = try #require(try store.snapshot.tableIndex(of: Value.self))
        return plan.range.map { store.snapshot.tables[index].indexes[$0.index].definition.fields }
    }

    @Test func `uses the index that fixes most fields`() throws {
        let plan = try plan(\.group == "a" && \.rank == 1)
        #expect(try fields(plan) == ["group", "rank"])
        #expect(plan.isExact)
        #expect(plan.range?.lower != nil && plan.range?.upper != nil)
    }

    @Test func `uses an index for a range, with both of its ends`() throws {
        let plan = try plan(\.weight > 1 && \.weight <= 2)
        #expect(try fields(plan) == ["weight"])
        #expect(plan.isExact)
    }

    @Test func `takes the order from an index`() throws {
        let ascending = try plan(\.group == "a", .ascending(\.rank))
        #expect(try fields(ascending) == ["group", "rank"])
        #expect(ascending.isSorted && ascending.range?.isReversed == false)
        let descending = try plan(\.group == "a", .descending(\.rank))
        #expect(descending.isSorted && descending.range?.isReversed == true)
        let both = try plan(nil, .ascending(\.group), .descending(\.rank))
        #expect(!both.isSorted)
    }

    @Test func `sorts the rows if the index has fields after those of the sort`() throws {
        // Equal notes come in the order of their ids, not of their ranks.
        let plan = try plan(\.isOpen == true, .ascending(\.note))
        #expect(try fields(plan) == ["isOpen", "note", "rank"])
        #expect(!plan.isSorted)
    }

    @Test func `tests values only for conditions that no index answers`() throws {
        #expect(try !plan(\.group == "a" && \.isOpen == true && \.score == 1).isExact)
        #expect(try !plan(\.group == "a" && Filter { $0.rank == 1 }).isExact)
        #expect(try !plan(\.group == "a" && \.group == "b").isExact)
        #expect(try !plan(\.group == "a" && \.rank != 1).isExact)
    }

    @Test func `uses no index if one side of an or has none, or below a not`() throws {
        #expect(try explain(\.group == "a" || \.rank == 1).isScan)
        #expect(try explain(\.group == "a" || .test { $0.rank == 1 }).isScan)
        #expect(try explain(!(\.group == "a")).isScan)
    }

    @Test func `uses no index for what does not equal itself`() throws {
        #expect(try plan(\.weight == .nan).range == nil)
        #expect(try plan(\.weight < .nan).range == nil)
    }

    @Test func `reads the tree of a predicate`() throws {
        let (group, rank) = ("a", 1)
        let both = try plan(Filter(#Predicate { $0.group == group && $0.rank < rank }))
        #expect(try fields(both) == ["group", "rank"])
        #expect(!both.isExact)
        #expect(try fields(plan(Filter(#Predicate { 2.5 >= $0.weight }))) == ["weight"])
        let open = try plan(Filter(#Predicate { $0.weight > 2 && $0.isOpen }))
        #expect(try fields(open) == ["isOpen", "note", "rank"])
        #expect(try explain(Filter(#Predicate { $0.group == group || $0.rank == rank })).isScan)
        #expect(try plan(Filter(#Predicate { !($0.group == group) })).range == nil)
        #expect(try plan(Filter(#Predicate { $0.group.isEmpty })).range == nil)
    }

    @Test func `uses the index for an enum by its raw value, to find and not to order`() throws {
        #expect(try fields(plan(\.kind == .small)) == ["kind", "changed"])
        #expect(try fields(plan(\.kind == .small, .ascending(\.changed))) == ["kind", "changed"])
        #expect(try plan(\.kind == .small, .ascending(\.changed)).isSorted)
    }
}
