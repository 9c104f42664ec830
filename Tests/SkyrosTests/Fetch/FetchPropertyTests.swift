import Foundation
import Skyros
import Testing

/// What a request gives is what plain Swift makes of all values, whatever indexes there are.
@Suite struct `Any request` {
    @Test(arguments: 1...2)
    func `gives what plain Swift gives, without an index`(seed: UInt64) throws {
        try compare(Heap.self, seed: seed)
    }

    @Test(arguments: 11...15)
    func `gives what plain Swift gives, with an index for every field`(seed: UInt64) throws {
        try compare(Drawers.self, seed: seed)
    }

    @Test(arguments: 31...35)
    func `gives what plain Swift gives, with indexes over several fields`(seed: UInt64) throws {
        try compare(Cabinets.self, seed: seed)
    }

    private func compare<Shelf: Shelving>(_ shelf: Shelf.Type, seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let store = try Store(inMemory: Parcel<Shelf>.self)
        var values: [Int: Parcel<Shelf>] = [:]
        // Half of the records come at once and half of them one by one, in no order.
        for id in (0..<300).shuffled(using: &random) { values[id - 150] = random.parcel(id - 150) }
        let all = values.values.sorted { $0.id < $1.id }
        try store.write { try $0.insert(all.prefix(150)) }
        for value in all.dropFirst(150) { try store.write { try $0.insert(value) } }
        for _ in 0..<80 { try expect(store, PlainRequest(&random), values) }

        let before = store.snapshot
        let kept = values
        try store.write { tx in
            for _ in 0..<20 {
                for _ in 0..<10 { try change(&values, &random, in: &tx) }
                try expect(tx, PlainRequest(&random), values)
            }
            try expect(store, PlainRequest(&random), kept)
        }
        for _ in 0..<30 { try expect(store, PlainRequest(&random), values) }
        for _ in 0..<10 { try expect(before, PlainRequest(&random), kept) }
    }

    /// Changes, adds or deletes one record, in the block and among the values.
    private func change<Shelf: Shelving>(
        _ values: inout [Int: Parcel<Shelf>], _ random: inout RandomSource,
        in tx: inout WriteTransaction
    ) throws {
        let id = random.below(330) - 150
        let value: Parcel<Shelf> = random.parcel(id)
        switch random.below(40) {
        case 0:
            try tx.deleteAll(Parcel<Shelf>.self)
            values.removeAll()
        case 1..<10:
            #expect(
                try tx.delete(Parcel<Shelf>.self, id) == (values.removeValue(forKey: id) != nil))
        case 10..<20 where values[id] != nil:
            try tx.update(Parcel<Shelf>.self, id) { $0.city = value.city }
            values[id]?.city = value.city
        default:
            try tx.upsert(value)
            values[id] = value
        }
    }

    private func expect<Shelf: Shelving>(
        _ source: borrowing some Reading & ~Copyable, _ plain: PlainRequest<Shelf>,
        _ values: [Int: Parcel<Shelf>]
    ) throws {
        let expected = plain.answer(from: values.values).map(\.id)
        let found = try source.fetch(plain.request).map(\.id)
        #expect(found == expected, "\(plain)")
        let count = try source.count(plain.request)
        #expect(count == expected.count, "\(plain)")
    }
}
