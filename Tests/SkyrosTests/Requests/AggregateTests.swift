import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `An aggregate` {
    private func check<I: Indexing>(_ type: I.Type, seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let store = try Store(inMemory: Item<I>.self)
        var values = (0..<120).map { _ in Item<I>.random(&random) }
        try store.write { try $0.insert(values) }
        for _ in 0..<40 { try expect(RequestModel<I>(&random), values, in: store) }
        try store.write { tx in
            for _ in 0..<20 { try tx.delete(values.removeLast()) }
            for index in stride(from: 0, to: 100, by: 3) {
                values[index].rank += 1
                values[index].score = Double(random.below(9))
                try tx.update(values[index])
            }
            for _ in 0..<20 { try expect(RequestModel<I>(&random), values, in: tx) }
        }
    }

    private func expect<I: Indexing>(
        _ model: RequestModel<I>, _ values: [Item<I>],
        in source: borrowing some RecordSource & ~Copyable
    ) throws {
        typealias Value = Item<I>
        var model = model
        (model.request.offset, model.request.limit) = (0, nil)
        let filter = model.request.filter
        let passing = model.answer(from: values)
        let groups = Dictionary(grouping: passing, by: \.kind)
        let (ranks, scores) = (passing.map(\.rank), passing.compactMap(\.score))
        let sum = ranks.reduce(0, +)

        #expect(try source.sum(Value.self, of: \.rank, where: filter) == sum)
        #expect(try source.sum(Value.self, of: \.score, where: filter) == scores.reduce(0, +))
        let mean = try source.average(Value.self, of: \.rank, where: filter)
        #expect(mean == (ranks.isEmpty ? nil : Double(sum) / Double(ranks.count)))
        let score = try source.average(Value.self, of: \.score, where: filter)
        #expect(score == (scores.isEmpty ? nil : scores.reduce(0, +) / Double(scores.count)))

        #expect(try source.min(Value.self, of: \.rank, where: filter) == ranks.min())
        #expect(try source.max(Value.self, of: \.rank, where: filter) == ranks.max())
        #expect(try source.min(Value.self, of: \.score, where: filter) == scores.min())
        #expect(try source.max(Value.self, of: \.score, where: filter) == scores.max())
        #expect(
            try source.min(Value.self, of: \.weight, where: filter) == passing.map(\.weight).min())

        let counts = try source.count(Value.self, where: filter, groupedBy: \.kind)
        #expect(counts == groups.mapValues(\.count))
        let sums = try source.sum(Value.self, of: \.rank, where: filter, groupedBy: \.kind)
        #expect(sums == groups.mapValues { $0.map(\.rank).reduce(0, +) })
        let greatest = try source.max(Value.self, of: \.score, where: filter, groupedBy: \.kind)
        #expect(greatest == groups.compactMapValues { $0.compactMap(\.score).max() })
        let smallest = try source.min(Value.self, of: \.changed, where: filter, groupedBy: \.kind)
        #expect(smallest == groups.compactMapValues { $0.map(\.changed).min() })
        let means = try source.average(Value.self, of: \.score, where: filter, groupedBy: \.kind)
        #expect(
            means
                == groups.compactMapValues { group in
                    let scores = group.compactMap(\.score)
                    return scores.isEmpty ? nil : scores.reduce(0, +) / Double(scores.count)
                })
    }

    @Test(arguments: 1...6)
    func `is what plain Swift computes, with indexes`(seed: UInt64) throws {
        try check(Indexed.self, seed: seed)
    }

    @Test(arguments: 1...3)
    func `is what plain Swift computes, without indexes`(seed: UInt64) throws {
        try check(Unindexed.self, seed: seed)
    }

    private struct Amount<N: Codable & Sendable>: Entity {
        static var entityName: String { "Amount" }
        var id: Int
        var value: N
    }

    private func store<N: Codable & Sendable>(_ values: [N]) throws -> Store {
        let store = try Store(inMemory: Amount<N>.self)
        try store.write { try $0.insert(values.enumerated().map { Amount(id: $0, value: $1) }) }
        return store
    }

    @Test func `of integers is exact, or an error`() throws {
        let int = try store([Int.max, Int.max, -Int.max, 7])
        let error = #expect(throws: StoreError.self) {
            try int.sum(Amount<Int>.self, of: \.value)
        }
        #expect(error?.code == .overflow)
        #expect(error?.place.field == "value")
        #expect(try int.sum(Amount<Int>.self, of: \.value, where: \.id > 0) == 7)
        #expect(try int.average(Amount<Int>.self, of: \.value) == (Double(Int.max) + 7) / 4)
        #expect(
            try store([UInt8](repeating: 5, count: 51)).sum(Amount<UInt8>.self, of: \.value) == 255)
        let bytes = try store([UInt8](repeating: 5, count: 52))
        #expect(throws: StoreError.self) { try bytes.sum(Amount<UInt8>.self, of: \.value) }
        #expect(try bytes.average(Amount<UInt8>.self, of: \.value) == 5)
        let wide = try store([UInt128.max, 0])
        #expect(try wide.sum(Amount<UInt128>.self, of: \.value) == .max)
        let deep = try store([Int128.min, -1, 1])
        #expect(try deep.sum(Amount<Int128>.self, of: \.value) == .min)
        #expect(throws: StoreError.self) {
            try deep.sum(Amount<Int128>.self, of: \.value, where: \.id < 2)
        }
        #expect(try deep.average(Amount<Int128>.self, of: \.value) == -0x1p127 / 3)
    }

    @Test func `of floats does not depend on the order of the records`() throws {
        var random = RandomSource(seed: 12)
        for _ in 0..<40 {
            let values = (0..<50).map { _ in
                let value = random.double()
                return value.isFinite && value.magnitude < 0x1p1000 ? value : 0.1
            }
            let sums = try [values, values.reversed(), values.sorted()].map { values in
                try store(values).sum(Amount<Double>.self, of: \.value)
            }
            #expect(Set(sums).count == 1)
        }
        let cancelling = try store([1e300, 1, -1e300, 0x1p-1074, 1e-9])
        #expect(try cancelling.sum(Amount<Double>.self, of: \.value) == 1 + 1e-9)
        let negative = try store([0.1, -0.3, -0x1p-1074])
        #expect(try negative.sum(Amount<Double>.self, of: \.value) == 0.1 - 0.3)
        let tenths = try store([Double](repeating: 0.1, count: 10))
        #expect(try tenths.sum(Amount<Double>.self, of: \.value) == 1)
        let most = Double.greatestFiniteMagnitude
        #expect(try store([most, most, -most]).sum(Amount<Double>.self, of: \.value) == most)
        #expect(try store([-most, -most]).sum(Amount<Double>.self, of: \.value) == -.infinity)
    }

    @Test func `of floats has NaN and infinity in it`() throws {
        typealias Number = Amount<Double>
        let odd = try store([1, .nan, 2])
        #expect(try odd.sum(Number.self, of: \.value).isNaN)
        #expect(try odd.average(Number.self, of: \.value)?.isNaN == true)
        #expect(try odd.min(Number.self, of: \.value) == 1)
        #expect(try odd.max(Number.self, of: \.value)?.isNaN == true)
        let infinite = try store([1, Double.infinity])
        #expect(try infinite.sum(Number.self, of: \.value) == .infinity)
        #expect(try store([-Double.infinity, .infinity]).sum(Number.self, of: \.value).isNaN)
        #expect(try store([Float(0.5), 0.25]).sum(Amount<Float>.self, of: \.value) == 0.75)
        #expect(try store([Float(0.5), 0.25]).average(Amount<Float>.self, of: \.value) == 0.375)
        #expect(try infinite.average(Number.self, of: \.value) == .infinity)
    }

    @Test func `that is an average may have a sum that no float holds`() throws {
        typealias Number = Amount<Double>
        #expect(try store([1.5e308, 1.5e308]).average(Number.self, of: \.value) == 1.5e308)
        let most = Double.greatestFiniteMagnitude
        let many = try store([Double](repeating: -most, count: 7))
        #expect(try many.average(Number.self, of: \.value) == -most)
        #expect(try many.sum(Number.self, of: \.value) == -.infinity)
    }

    @Test func `of decimals is exact, or an error`() throws {
        let prices = try ["0.1", "0.2", "-5", "1e20"].map { try #require(Decimal(string: $0)) }
        let sum = try store(prices).sum(Amount<Decimal>.self, of: \.value)
        #expect(sum == Decimal(string: "99999999999999999995.3"))
        #expect(
            try store([Decimal(1), 2]).average(Amount<Decimal>.self, of: \.value) == Decimal(1.5))
        let wide = try ["1e60", "1e-60"].map { try #require(Decimal(string: $0)) }
        let error = #expect(throws: StoreError.self) {
            try store(wide).sum(Amount<Decimal>.self, of: \.value)
        }
        #expect(error?.code == .overflow)
    }

    @Test func `of decimals is exact, however many digits a part of the sum has`() throws {
        func sum(_ texts: [String]) throws -> Decimal {
            let values = try texts.map { try #require(Decimal(string: $0)) }
            return try store(values).sum(Amount<Decimal>.self, of: \.value)
        }
        let nines = String(repeating: "9", count: 38)
        let cases = [
            (["-\(nines)", "0.5", nines], "0.5"),
            (["0.5", "0.5", "1e38"], "100000000000000000000000000000000000001"),
            (["1e60", "-2e-60", "-1e60"], "-2e-60"), (["5e127", "5e127"], "10e127"),
            (["-1e-128", "-2e-128"], "-3e-128"), (["0", "-0.75", "0.75"], "0"),
        ]
        for (texts, expected) in cases {
            #expect(try sum(texts) == Decimal(string: expected), "\(texts)")
            #expect(try sum(texts.reversed()) == Decimal(string: expected), "\(texts)")
        }
        #expect(code { _ = try sum(["\(UInt128.max)", "1"]) } == .overflow)
    }

    @Test func `of nothing is zero or nil`() throws {
        let none = try store([Int?.none, nil])
        typealias Number = Amount<Int?>
        #expect(try none.sum(Number.self, of: \.value) == 0)
        #expect(try none.average(Number.self, of: \.value) == nil)
        #expect(try none.min(Number.self, of: \.value) == nil)
        #expect(try none.max(Number.self, of: \.value) == nil)
        #expect(try none.average(Number.self, of: \.value, groupedBy: \.id).isEmpty)
        #expect(try none.sum(Number.self, of: \.value, groupedBy: \.id) == [0: 0, 1: 0])
        #expect(try none.count(Number.self, groupedBy: \.value) == [nil: 2])
    }

    @Test func `takes the first or last entry of an index`() throws {
        let store = try Store(inMemory: Item<Indexed>.self)
        var random = RandomSource(seed: 3)
        let values = (0..<400).map { _ in Item<Indexed>.random(&random) }
        try store.write { try $0.insert(values) }
        let counter = TestCounter()
        let counted = Filter<Item<Indexed>> { _ in counter.add() }
        _ = try store.min(Item<Indexed>.self, of: \.weight, where: counted)
        _ = try store.max(Item<Indexed>.self, of: \.weight, where: counted)
        _ = try store.min(Item<Indexed>.self, of: \.score, where: counted)
        _ = try store.max(Item<Indexed>.self, of: \.score, where: counted)
        #expect(counter.value == 4)
    }
}
