import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A sequence number` {
    @Test func `counts from zero, the number before the first event`() {
        #expect(SequenceNumber.zero.next == 1)
        #expect(SequenceNumber(rawValue: 41).next.rawValue == 42)
        #expect(SequenceNumber.zero < 1)
        #expect([3, 1, 2].sorted() as [SequenceNumber] == [1, 2, 3])
        #expect("\(SequenceNumber(rawValue: 7))" == "7")
    }

    @Test func `is a plain number where it is encoded`() throws {
        let encoded = try JSONEncoder().encode([1, 18_446_744_073_709_551_615] as [SequenceNumber])
        #expect(String(decoding: encoded, as: UTF8.self) == "[1,18446744073709551615]")
        let decoded = try JSONDecoder().decode([SequenceNumber].self, from: encoded)
        #expect(decoded == [1, SequenceNumber(rawValue: .max)])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([SequenceNumber].self, from: Data("[-1]".utf8))
        }
    }
}

@Suite struct `The time of an event` {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000Z"), (1, "1970-01-01T00:00:00.000001Z"),
        (-1, "1969-12-31T23:59:59.999999Z"), (-1_000_000, "1969-12-31T23:59:59.000000Z"),
        (1_772_366_400_000_100, "2026-03-01T12:00:00.000100Z"),
        (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        (253_402_300_800_000_000, "253402300800000000"),
        (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
    ])
    func `is shown to the microsecond, in the Gregorian calendar`(
        microseconds: Int64, text: String
    ) {
        #expect(EventTime(microseconds: microseconds).description == text)
    }

    @Test func `is the nearest microsecond to a date, as far as there is one`() {
        #expect(EventTime(Date(timeIntervalSince1970: 1.000_000_6)).microseconds == 1_000_001)
        #expect(EventTime(Date(timeIntervalSince1970: -1)).microseconds == -1_000_000)
        #expect(EventTime(Date(timeIntervalSince1970: 1e300)).microseconds == .max)
        #expect(EventTime(Date(timeIntervalSince1970: -1e300)).microseconds == .min)
        #expect(EventTime(microseconds: -1) < EventTime(microseconds: 0))
    }
}

@Suite struct `A level of durability` {
    @Test func `is the higher, the more survives`() {
        #expect(Durability.allCases.sorted() == [.deferred, .buffered, .durable])
        #expect(Durability.buffered < .durable)
        #expect(!(Durability.durable < .durable))
        #expect(
            Durability.allCases.map { Durability(rawValue: $0.rawValue) } == Durability.allCases)
        #expect(Durability(rawValue: 3) == nil)
    }
}

@Suite struct `Changed fields` {
    private let before: Fields
    private let after: Fields

    init() throws {
        let store = try Store(inMemory: Restaurant.self)
        let id = UUID()
        try store.write { try $0.insert(Restaurant(id: id, name: "A", cuisine: "x", rating: 1)) }
        try store.write { tx in
            try tx.update(Restaurant.self, id) { restaurant in
                restaurant.name = "B"
                restaurant.rating = nil
            }
        }
        let change = try #require(try store.event(2)?.changes.first)
        guard case .updated(_, _, let before, let after) = change else {
            throw StoreError(.invalidEvent, "\(change) is no update")
        }
        self.before = before
        self.after = after
    }

    @Test func `are read by name, or all together`() throws {
        #expect(before["name"] == "A")
        #expect(before["cuisine"] == nil)
        #expect(before.names == ["name", "rating"])
        #expect(try before.values == ["name": "A", "rating": 1.0])
        #expect(try before.value == ["name": "A", "rating": 1.0])
        #expect(after["name"] == "B")
        #expect(try Fields().values.isEmpty)
    }

    @Test func `are listed before and after, the shortest name first`() throws {
        let list = try FieldChange.list(before: before, after: after)
        #expect(list.map(\.field) == ["name", "rating"])
        #expect(list.map(\.before) == ["A", 1.0])
        #expect(list[0].after == "B")
        #expect(list[1].after == nil)
        #expect(list[1].description == "rating: 1.0 → –")
        #expect(try FieldChange.list(before: Fields(), after: Fields()).isEmpty)
        // Another writer may leave keys in any order: b and a.
        let unsorted = Fields(trusted: [0xA2, 0x61, 0x62, 0x01, 0x61, 0x61, 0x02])
        let changes = try FieldChange.list(before: Fields(["a": 1]), after: unsorted)
        #expect(changes.map(\.description) == ["a: 1 → 2", "b: – → 1"])
    }

    @Test func `are in canonical order`() {
        #expect(Fields.precedes("b", "aa"))
        #expect(Fields.precedes("a", "b"))
        #expect(!Fields.precedes("a", "a"))
        #expect(Fields.precedes("zz", "é" + "a"))
    }
}
