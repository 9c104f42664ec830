import Foundation
import Skyros
import TestSupport
import Testing

/// A model test: random write blocks on a store that is reopened often, and on a dictionary.
@Suite struct `Random write blocks` {
    private struct Item: Entity, Equatable {
        var id: Int
        var group: Int
        var code: Int?
        static let indexes: [Index<Item>] = [.on(\.group), .unique(\.code)]
    }

    private typealias Model = [Int: Item]

    @Test(arguments: 0..<12)
    func `have the same effect as on a dictionary`(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        var random = RandomSource(seed: seed)
        var model: Model = [:]
        for _ in 0..<12 {
            let store = try Store(at: directory.store, entities: Item.self)
            try compare(store, model)
            for _ in 0..<Int.random(in: 1..<12, using: &random) {
                model = try write(to: store, model, &random)
                try compare(store, model)
            }
            try store.close()
            let archive = try Archive(at: directory.store)
            #expect(archive.verify().problems == [])
            if Int.random(in: 0..<4, using: &random) == 0 {
                try FileManager.default.removeItem(
                    at: directory.store.appending(path: "checkpoint.sqlite"))
            }
        }
    }

    /// Writes a block of a few steps, and returns the model of the state after it.
    private func write(
        to store: Store, _ before: Model, _ random: inout RandomSource
    ) throws -> Model {
        var after = before
        var isRefused = false
        do {
            try store.write { tx in
                for _ in 0..<Int.random(in: 1..<7, using: &random) {
                    try step(&tx, &after, &random)
                }
                let codes = after.values.compactMap(\.code)
                isRefused = Set(codes).count < codes.count
            }
        } catch let error as StoreError where error.code == .uniqueViolation {
            #expect(isRefused)
            return before
        }
        #expect(!isRefused)
        return after
    }

    private func step(
        _ tx: inout WriteTransaction, _ model: inout Model, _ random: inout RandomSource
    ) throws {
        let id = Int.random(in: 0..<8, using: &random)
        let hasCode = Bool.random(using: &random)
        let item = Item(
            id: id, group: Int.random(in: 0..<3, using: &random),
            code: hasCode ? Int.random(in: 0..<20, using: &random) : nil)
        switch Int.random(in: 0..<160, using: &random) {
        case 0..<50:
            try tx.upsert(item)
            model[id] = item
        case 50..<80 where model[id] == nil:
            try tx.insert(item)
            model[id] = item
        case 50..<100 where model[id] != nil:
            try tx.update(Item.self, id) { $0.group = item.group }
            model[id]?.group = item.group
        case 100..<150:
            #expect(try tx.delete(Item.self, id) == (model.removeValue(forKey: id) != nil))
        case 150:
            #expect(try tx.deleteAll(Item.self) == model.count)
            model = [:]
        default:
            #expect(try tx.count(Item.self) == model.count)
            let found = try tx.all(Item.self, where: \.group == item.group)
            #expect(found == sorted(model.values.filter { $0.group == item.group }))
        }
    }

    private func compare(_ store: Store, _ model: Model) throws {
        #expect(try store.all(Item.self) == sorted(model.values))
        for group in 0..<3 {
            let found = try store.all(Item.self, where: \.group == group)
            #expect(found == sorted(model.values.filter { $0.group == group }))
        }
        for item in model.values {
            guard let code = item.code else { continue }
            #expect(try store.all(Item.self, where: \.code == code) == [item])
        }
    }

    private func sorted(_ items: some Sequence<Item>) -> [Item] {
        items.sorted { $0.id < $1.id }
    }
}
