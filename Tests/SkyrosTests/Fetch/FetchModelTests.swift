import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A fetch beside plain Swift` {
    private func check<I: Indexing>(_ type: I.Type, seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let store = try Store(inMemory: Item<I>.self)
        var values = (0..<200).map { _ in Item<I>.random(&random) }
        try store.write { try $0.insert(values) }
        for _ in 0..<150 {
            try expect(store, RequestModel<I>(&random), values)
        }
        // A block reads its own changes, through the indexes too.
        try store.write { tx in
            for index in stride(from: 0, to: 200, by: 3) {
                let id = values[index].id
                values[index] = .random(&random)
                values[index].id = id
                try tx.upsert(values[index])
            }
            for _ in 0..<30 { try tx.delete(values.removeLast()) }
            for _ in 0..<10 {
                values.append(.random(&random))
                try tx.insert(values[values.count - 1])
            }
            for _ in 0..<30 {
                let model = RequestModel<I>(&random)
                #expect(
                    try tx.fetch(model.request).map(\.id) == model.answer(from: values).map(\.id))
                #expect(try tx.count(model.request) == model.answer(from: values).count)
            }
        }
        for _ in 0..<30 { try expect(store, RequestModel<I>(&random), values) }
    }

    private func expect<I: Indexing>(
        _ store: Store, _ model: RequestModel<I>, _ values: [Item<I>]
    ) throws {
        let expected = model.answer(from: values)
        #expect(try store.fetch(model.request) == expected, "\(model.request)")
        #expect(try store.snapshot.count(model.request) == expected.count, "\(model.request)")
        var first = model
        first.request.offset = 0
        first.request.limit = nil
        let found = try store.first(
            Item<I>.self, where: first.request.filter, sortedBy: first.request.sort)
        #expect(found == first.answer(from: values).first)
    }

    @Test(arguments: 1...12)
    func `gives what a filter in plain Swift gives, with indexes`(seed: UInt64) throws {
        try check(Indexed.self, seed: seed)
    }

    @Test(arguments: 1...4)
    func `gives what a filter in plain Swift gives, without indexes`(seed: UInt64) throws {
        try check(Unindexed.self, seed: seed)
    }
}
