import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A unique index` {
    private struct Seat: Entity, Equatable {
        static let indexes: [Index<Seat>] = [.unique(\.guest), .unique(\.row, \.number)]
        var id: Int
        var guest: String?
        var row: Int
        var number: Double?
    }

    private let store: Store

    init() throws {
        store = try Store(inMemory: Seat.self)
        try store.write { tx in
            try tx.insert((0..<6).map { Seat(id: $0, guest: "g\($0)", row: $0, number: 1) })
        }
    }

    /// Expects that the block is refused for these records and leaves no trace.
    private func expectRefusal(
        of ids: [Int], location: SourceLocation = #_sourceLocation,
        _ block: (inout WriteTransaction) throws -> Void
    ) throws {
        let before = try store.all(Seat.self)
        let sequence = store.sequence
        let error = #expect(throws: StoreError.self, sourceLocation: location) {
            try store.write(block)
        }
        #expect(error?.code == .uniqueViolation, sourceLocation: location)
        #expect(error?.place.entity == "Seat", sourceLocation: location)
        let offenders = try error?.place.ids.map { try $0.decode(as: Int.self) }
        #expect(offenders == ids, sourceLocation: location)
        #expect(
            error?.message.hasPrefix("\(ids.count) records of \"Seat\"") == true, "\(error as Any)",
            sourceLocation: location)
        #expect(try store.all(Seat.self) == before, sourceLocation: location)
        #expect(store.sequence == sequence, sourceLocation: location)
    }

    @Test func `names every record that would break it, once`() throws {
        try expectRefusal(of: [10]) { try $0.insert(Seat(id: 10, guest: "g1", row: 10)) }
        try expectRefusal(of: [2]) { tx in try tx.update(Seat.self, 2) { $0.guest = "g1" } }
        try expectRefusal(of: [10, 11, 12]) { tx in
            try tx.insert((10..<13).map { Seat(id: $0, guest: "new", row: $0) })
        }
        try expectRefusal(of: [10, 11, 12]) { tx in
            try tx.insert((10..<13).map { Seat(id: $0, guest: "g1", row: $0) })
        }
        try expectRefusal(of: [10, 11, 12, 13]) { tx in
            for (id, guest) in [(10, "g1"), (11, "x"), (9, "fine"), (12, "x"), (13, "g2")] {
                try tx.insert(Seat(id: id, guest: guest, row: id))
            }
        }
    }

    @Test func `over several fields is broken where all of them are equal`() throws {
        try store.write { try $0.insert(Seat(id: 10, guest: "a", row: 1, number: 2)) }
        try expectRefusal(of: [11]) { try $0.insert(Seat(id: 11, guest: "b", row: 1, number: 2)) }
        try expectRefusal(of: [3, 4]) { tx in
            for id in [3, 4] { try tx.update(Seat.self, id) { ($0.row, $0.number) = (9, -0.0) } }
            try tx.update(Seat.self, 3) { $0.number = 0 }
        }
    }

    @Test func `does not count what is nil`() throws {
        try store.write { tx in
            try tx.insert((10..<14).map { Seat(id: $0, guest: nil, row: 1, number: nil) })
            try tx.update(Seat.self, 1) { $0.guest = nil }
            try tx.insert(Seat(id: 20, guest: "g1", row: 20))
        }
        #expect(try store.count(Seat.self, where: \.guest == nil) == 5)
        try expectRefusal(of: [1]) { tx in try tx.update(Seat.self, 1) { $0.guest = "g1" } }
        try expectRefusal(of: [10]) { tx in try tx.update(Seat.self, 10) { $0.number = 1 } }
    }

    @Test func `counts texts as equal that are equal in Swift`() throws {
        try store.write { try $0.insert(Seat(id: 10, guest: "Zo\u{EB}", row: 10)) }
        try expectRefusal(of: [11]) { try $0.insert(Seat(id: 11, guest: "Zoe\u{308}", row: 11)) }
    }

    @Test func `lets values change hands within a block`() throws {
        try store.write { tx in
            // Two swap, three rotate, and one takes what is given up.
            try tx.update(Seat.self, 0) { $0.guest = "g1" }
            try tx.update(Seat.self, 1) { $0.guest = "g0" }
            for (id, guest) in [(2, "g3"), (3, "g4"), (4, "g2")] {
                try tx.update(Seat.self, id) { $0.guest = guest }
            }
            try tx.insert(Seat(id: 10, guest: "g5", row: 10))
            try tx.delete(Seat.self, 5)
        }
        let expected = ["g1", "g0", "g3", "g4", "g2", "g5"]
        #expect(try store.all(Seat.self).map(\.guest) == expected)
        for (id, guest) in zip([0, 1, 2, 3, 4, 10], expected) {
            #expect(try store.all(Seat.self, where: \.guest == guest).map(\.id) == [id])
        }
    }

    @Test func `counts what the block leaves, not what it passes through`() throws {
        try store.write { tx in
            try tx.insert(Seat(id: 10, guest: "g1", row: 10))
            #expect(try tx.all(Seat.self, where: \.guest == "g1").map(\.id) == [1, 10])
            try tx.update(Seat.self, 10) { $0.guest = "g10" }
            #expect(try tx.all(Seat.self, where: \.guest == "g1").map(\.id) == [1])
        }
        try expectRefusal(of: [11]) { tx in
            try tx.insert(Seat(id: 11, guest: "free", row: 11))
            try tx.update(Seat.self, 11) { $0.guest = "g10" }
        }
    }

    @Test func `accepts a value that a deleted record had`() throws {
        try store.write { tx in
            try tx.deleteAll(Seat.self)
            try tx.insert([Seat(id: 10, guest: "g1", row: 1, number: 1), Seat(id: 1, row: 1)])
        }
        #expect(try store.all(Seat.self).map(\.id) == [1, 10])
        try expectRefusal(of: [11, 12]) { tx in
            try tx.deleteAll(Seat.self)
            try tx.insert([Seat(id: 11, guest: "a", row: 1), Seat(id: 12, guest: "a", row: 2)])
        }
    }
}
