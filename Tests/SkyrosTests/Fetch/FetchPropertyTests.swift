import Foundation
import Testing

@testable import Skyros

/// Random requests against random records, beside a plain filter, sort and slice.
@Suite struct `A fetch` {
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `without an index gives what plain Swift gives`(seed: UInt64) throws {
        try run(Unindexed.self, seed: seed)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `with indexes of one field gives what plain Swift gives`(seed: UInt64) throws {
        try run(SingleIndexes.self, seed: seed)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `with indexes of several fields gives what plain Swift gives`(seed: UInt64) throws {
        try run(CompositeIndexes.self, seed: seed)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `with indexes of both kinds gives what plain Swift gives`(seed: UInt64) throws {
        try run(MixedIndexes.self, seed: seed)
    }

    /// Writes in rounds; asks before a round, in the middle of its block, and after it.
    private func run<I: DishIndexing>(_ indexing: I.Type, seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let store = try Store(inMemory: Dish<I>.self)
        var model: [Int: Dish<I>] = [:]
        for round in 0..<3 {
            let (before, modelBefore) = (store.snapshot, model)
            try store.write { tx in
                try change(&tx, &model, &random)
                try compare(tx, model, &random, requests: 30)
                if round == 2, seed % 2 == 0 {
                    try tx.deleteAll(Dish<I>.self)
                    model = [:]
                }
                try change(&tx, &model, &random)
                try compare(tx, model, &random, requests: 30)
            }
            try compare(store.snapshot, model, &random, requests: 60)
            try compare(before, modelBefore, &random, requests: 30)
        }
    }

    private func change<I: DishIndexing>(
        _ tx: inout WriteTransaction, _ model: inout [Int: Dish<I>], _ random: inout RandomSource
    ) throws {
        for _ in 0..<60 {
            // Ids of several lengths: the order of their bytes is not that of the numbers.
            let id = (random.below(60) - 30) * random.pick([1, 1, 50])
            if random.below(4) == 0 {
                let wasThere = try tx.delete(Dish<I>.self, id)
                #expect(wasThere == (model.removeValue(forKey: id) != nil))
            } else {
                let dish = random.dish(Dish<I>.self, id: id)
                try tx.upsert(dish)
                model[id] = dish
            }
        }
    }

    private func compare<I: DishIndexing>(
        _ reading: borrowing some Reading & ~Copyable, _ model: [Int: Dish<I>],
        _ random: inout RandomSource, requests: Int
    ) throws {
        for _ in 0..<requests {
            let condition: DishCondition<I>? =
                random.below(5) == 0 ? nil : .random(&random, depth: random.below(3))
            let orders = (0..<random.below(4)).map { _ in DishOrder<I>.random(&random) }
            var request = FetchRequest<Dish<I>>(
                where: condition?.filter, sortedBy: orders.map(\.sort))
            request.offset = random.pick([0, 0, 1, 5, model.count, model.count + 1, .max, -1, .min])
            request.limit = random.pick([nil, nil, 0, 1, 7, 1_000, .max, -1, .min])

            let expected = ids(model, condition, orders, request)
            try #require(try reading.fetch(request).map(\.id) == expected)
            try #require(try reading.count(request) == expected.count)
            if request.offset == 0, request.limit == nil {
                let first = try reading.first(
                    Dish<I>.self, where: request.filter, sortedBy: request.sort)
                try #require(first?.id == expected.first)
            }
        }
    }

    private func ids<I: DishIndexing>(
        _ model: [Int: Dish<I>], _ condition: DishCondition<I>?, _ orders: [DishOrder<I>],
        _ request: FetchRequest<Dish<I>>
    ) -> [Int] {
        let passing = model.values.filter { condition?.holds($0) ?? true }
        let sorted = passing.sorted { a, b in
            for order in orders {
                if order.precedes(a, b) { return true }
                if order.precedes(b, a) { return false }
            }
            return RecordID(a.id) < RecordID(b.id)
        }
        return sorted.dropFirst(max(0, request.offset))
            .prefix(max(0, request.limit ?? sorted.count)).map(\.id)
    }
}
