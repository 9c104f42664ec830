import Foundation
import Testing

@testable import Skyros

@Suite struct `A unique index` {
    private struct Seat: Entity, Equatable {
        var id: Int
        var row: String?
        var number: Int?

        static let indexes: [Index<Seat>] = [.unique(\.row, \.number)]
    }

    private let store: Store

    init() throws {
        store = try Store(inMemory: Seat.self)
    }

    private func offenders(
        _ block: (inout WriteTransaction) throws -> Void
    ) throws -> [Int] {
        do {
            try store.write(block)
            return []
        } catch let error as StoreError where error.code == .uniqueViolation {
            #expect(error.place.entity == "Seat")
            return try error.place.ids.map { try $0.decode(as: Int.self) }
        }
    }

    @Test func `names every record once that would hold a taken value`() throws {
        try store.write { try $0.insert(Seat(id: 1, row: "a", number: 1)) }
        let ids = try offenders { tx in
            try tx.insert(Seat(id: 2, row: "a", number: 1))
            try tx.insert(Seat(id: 3, row: "a", number: 1))
            try tx.insert(Seat(id: 4, row: "b", number: 1))
            try tx.insert(Seat(id: 5, row: "c", number: 1))
            try tx.insert(Seat(id: 6, row: "c", number: 1))
            try tx.insert(Seat(id: 7, row: "c", number: 1))
        }
        #expect(ids == [2, 3, 5, 6, 7])
        #expect(try store.count(Seat.self) == 1)
    }

    @Test func `lets values change hands within one block`() throws {
        try store.write { tx in
            try tx.insert((1...3).map { Seat(id: $0, row: "a", number: $0) })
        }
        let rotated = try offenders { tx in
            for id in 1...3 { try tx.update(Seat.self, id) { $0.number = id % 3 + 1 } }
        }
        #expect(rotated == [])
        let replaced = try offenders { tx in
            try tx.insert(Seat(id: 9, row: "a", number: 1))
            try tx.delete(Seat.self, 3)
        }
        #expect(replaced == [])
        let cleared = try offenders { tx in
            try tx.deleteAll(Seat.self)
            try tx.insert(Seat(id: 10, row: "a", number: 2))
        }
        #expect(cleared == [])
        #expect(try store.all(Seat.self) == [Seat(id: 10, row: "a", number: 2)])
    }

    @Test func `exempts records in which one of the values is nil`() throws {
        let seats = (0..<4).map { Seat(id: $0, row: $0 % 2 == 0 ? "a" : nil, number: nil) }
        #expect(try offenders { try $0.insert(seats) } == [])
        #expect(try offenders { try $0.insert(Seat(id: 4, row: nil, number: 1)) } == [])
        #expect(try offenders { try $0.insert(Seat(id: 5, row: nil, number: 1)) } == [])
        #expect(try offenders { try $0.insert(Seat(id: 6, row: "a", number: 1)) } == [])
        #expect(try offenders { try $0.update(Seat.self, 5) { $0.row = "a" } } == [5])
    }

    @Test func `takes texts for the same that Swift finds equal`() throws {
        #expect(try offenders { try $0.insert(Seat(id: 1, row: "\u{E9}", number: 1)) } == [])
        #expect(try offenders { try $0.insert(Seat(id: 2, row: "e\u{301}", number: 1)) } == [2])
    }

    @Test func `declared over twins lets neither be joined by a third`() throws {
        struct Free: Entity {
            static let entityName = "Seat"
            var id: Int
            var row: String?
            var number: Int?
        }
        let folder = try TemporaryFolder()
        try Store(at: folder.store, entities: Free.self).writeSync { tx in
            try tx.insert((1...2).map { Free(id: $0, row: "a", number: 1) })
        }.close()
        let reopened = try Store(at: folder.store, entities: Seat.self)
        #expect(throws: StoreError(.uniqueViolation, "")) {
            try reopened.write { tx in
                try tx.delete(Seat.self, 1)
                try tx.insert(Seat(id: 3, row: "a", number: 1))
            }
        }
    }
}
