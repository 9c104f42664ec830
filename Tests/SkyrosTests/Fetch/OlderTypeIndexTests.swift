import Foundation
import Skyros
import TestSupport
import Testing

/// The index is made from what is stored, whichever type wrote it.
@Suite struct `An index over records of an older type` {
    private let directory: TemporaryDirectory

    private struct Whole: Entity {
        static let entityName = "Reading"
        static let indexes: [Index<Whole>] = [.unique(\.value)]
        var id: Int
        var value: Int
    }

    private struct Real: Entity {
        static let entityName = "Reading"
        static let indexes: [Index<Real>] = [.unique(\.value), .on(\.note)]
        var id: Int
        var value: Double
        var note: String?
    }

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Whole.self)
        try store.write { try $0.insert((-5..<5).map { Whole(id: $0, value: $0) }) }
        try store.close()
    }

    private func expect(_ ids: [Int], _ filter: Filter<Real>?, in store: Store) throws {
        #expect(try store.all(Real.self, where: filter, sortedBy: \.value).map(\.id) == ids)
        #expect(try store.count(Real.self, where: filter) == ids.count)
    }

    @Test func `finds integers as floats`() throws {
        let store = try Store(at: directory.store, entities: Real.self)
        try store.write { try $0.insert([Real(id: 10, value: 1.5), Real(id: 11, value: -1e300)]) }
        try expect([11] + (-5..<2) + [10] + (2..<5), nil, in: store)
        try expect([1], \.value == 1, in: store)
        try expect([10], \.value == 1.5, in: store)
        try expect([0], \.value == -0.0, in: store)
        try expect([2, 3, 4], \.value > 1.5, in: store)
        try expect([11, -5, -4], \.value < -3, in: store)
        let range = 1.0...1.5
        let predicate = #Predicate<Real> {
            $0.value >= range.lowerBound && $0.value <= range.upperBound
        }
        try expect([1, 10], Filter(predicate), in: store)
        #expect(throws: StoreError(.uniqueViolation, "")) {
            try store.write { try $0.insert(Real(id: 12, value: 3)) }
        }
        try store.close()
    }

    @Test func `takes a field that they lack for nil`() throws {
        let store = try Store(at: directory.store, entities: Real.self)
        try store.write { try $0.insert(Real(id: 10, value: 9, note: "n")) }
        try expect([10], \.note == "n", in: store)
        try expect(Array(-5..<5), \.note == nil, in: store)
        try expect([10], \.note >= "", in: store)
        let order = try store.all(Real.self, sortedBy: [.ascending(\.note)]).map(\.id)
        #expect(order == Array(-5..<5) + [10])
        try store.close()
    }

    @Test func `loses nothing when they are written again`() throws {
        let store = try Store(at: directory.store, entities: Real.self)
        try store.write { tx in
            for id in -5..<5 {
                try tx.update(Real.self, id) { $0.value += 0.5 }
                try expect([id], \.value == Double(id) + 0.5, of: tx)
                try expect([], \.value == Double(id), of: tx)
            }
        }
        try expect([3, 4], \.value >= 3, in: store)
        try store.close()
        let again = try Store(at: directory.store, entities: Real.self)
        try expect([3, 4], \.value >= 3, in: again)
        try again.close()
    }

    private func expect(
        _ ids: [Int], _ filter: Filter<Real>, of tx: borrowing WriteTransaction
    ) throws {
        let found = try tx.all(Real.self, where: filter).map(\.id)
        #expect(found == ids)
    }
}
