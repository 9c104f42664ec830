import Foundation
import Skyros
import TestSupport
import Testing

/// Blocks that throw after each possible step.
@Suite struct `A block that throws at any step` {
    private struct Refusal: Error {}

    private enum Step: String, CaseIterable {
        case insert, insertMany, update, updateValue, upsert, delete, deleteWhere, deleteAll, read

        func apply(to tx: inout WriteTransaction) throws {
            switch self {
            case .insert: try tx.insert(Note(id: 100, text: "new"))
            case .insertMany:
                try tx.insert([Note(id: 101, text: "new"), Note(id: 102, text: "new")])
            case .update: try tx.update(Note.self, 1) { $0.text = "changed" }
            case .updateValue: try tx.update(Note(id: 2, text: "changed"))
            case .upsert: try tx.upsert(Note(id: 103, text: "new"))
            case .delete: try tx.delete(Note.self, 3)
            case .deleteWhere: try tx.delete(Note.self, where: \.text == "4")
            case .deleteAll: try tx.deleteAll(Counter.self)
            case .read: _ = try tx.all(Note.self)
            }
        }
    }

    /// The steps, rotated so that each comes first once.
    private static let orders = Step.allCases.indices.map { first in
        Array(Step.allCases[first...] + Step.allCases[..<first])
    }

    private func store() throws -> Store {
        let store = try Store(inMemory: Note.self, Counter.self)
        try store.write { tx in
            for id in 1...9 { try tx.insert(Note(id: id, text: "\(id)")) }
            try tx.insert(Counter(id: "a", value: 1))
        }
        return store
    }

    @Test func `changes nothing, and the next block succeeds (F45)`() throws {
        for order in Self.orders {
            let store = try store()
            let digest = try store.snapshot.digest()
            for count in 0...order.count {
                #expect(throws: Refusal.self) {
                    try store.write { tx in
                        for step in order.prefix(count) { try step.apply(to: &tx) }
                        throw Refusal()
                    }
                }
                #expect(try store.snapshot.digest() == digest, "\(order.prefix(count))")
                #expect(store.sequence == 1)
            }
            try store.write { tx in for step in order { try step.apply(to: &tx) } }
            #expect(store.sequence == 2)
            #expect(try store.snapshot(asOf: .sequence(1)).digest() == digest)
        }
    }
}
