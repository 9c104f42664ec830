import Foundation
import Testing

@testable import Skyros

@Suite struct `An index key` {
    private func key(_ value: some Encodable) throws -> [UInt8] {
        try #require(IndexKey.comparableComponent(of: CBOREncoder().encode(value)))
    }

    private func orders<T: Comparable & Encodable>(_ values: [T]) throws {
        let keys = try values.map { try key($0) }
        for (a, left) in zip(values, keys) {
            for (b, right) in zip(values, keys) {
                #expect((a < b) == left.lexicographicallyPrecedes(right), "\(a), \(b)")
                #expect((a == b) == (left == right), "\(a), \(b)")
            }
        }
    }

    @Test func `orders integers as Swift does`() throws {
        var values: [Int128] = [0, 1, -1, Int128.max, Int128.min]
        for bits in [8, 31, 32, 52, 53, 54, 62, 63, 64, 65, 100, 126] {
            let power = Int128(1) << Int128(bits)
            values += [power - 1, power, power + 1, -power - 1, -power, -power + 1]
        }
        try orders(values)
        try orders([UInt128.max, UInt128.max - 1, 0, 1 << 127, (1 << 127) - 1])
        try orders([Int.min, Int.min + 1, -1, 0, Int.max - 1, Int.max])
    }

    @Test func `orders floats as Swift does, and as integers of equal value`() throws {
        var random = SeededGenerator(seed: 3)
        var values: [Double] = [0, -0.0, 1, -1, .infinity, -.infinity, .leastNonzeroMagnitude]
        values += (0..<100).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
        try orders(values)
        for number in [0, 1, -1, 1 << 52, 1 << 53, 1 << 60] {
            #expect(try key(number) == key(Double(number)))
        }
        #expect(try key(Double.infinity).lexicographicallyPrecedes(key(Double.nan)))
    }

    @Test func `orders texts as Swift does`() throws {
        try orders([
            "", "a", "b", "ab", "a\0", "a\u{1}", "A", "é", "z", "ä", "ß", "\u{1F30D}", "aé",
        ])
        #expect(try key("é") == key("e\u{301}"))
        #expect("é" == "e\u{301}")
    }

    @Test func `orders dates and UUIDs as Swift does`() throws {
        try orders([-1e9, -1, 0, 0.5, 1e9].map { Date(timeIntervalSinceReferenceDate: $0) })
        var random = SeededGenerator(seed: 4)
        try orders((0..<30).map { _ in UUID.random(&random) })
    }

    @Test func `of several fields orders by the first, then by the next`() throws {
        let records: [[String: FieldValue]] = [
            ["a": "x", "b": 1], ["a": "x", "b": 2], ["a": "xa", "b": 0], ["a": "y"],
            ["a": "y", "b": .null], ["a": "y", "b": -5],
        ]
        let keys = try records.map { try IndexKey.make(["a", "b"], of: Fields($0).encoded) }
        #expect(keys == keys.sorted())
        #expect(keys[3] == keys[4])
        #expect(try IndexKey.makeIfComplete(["a", "b"], of: Fields(records[3]).encoded) == nil)
        #expect(try IndexKey.makeIfComplete(["a", "b"], of: Fields(records[0]).encoded) != nil)
    }

    @Test func `has a successor that ends its prefix`() {
        #expect(IndexKey.successor(ofPrefix: [1, 2]) == [1, 3])
        #expect(IndexKey.successor(ofPrefix: [1, 0xFF]) == [2])
        #expect(IndexKey.successor(ofPrefix: [0xFF]).isEmpty)
    }
}

extension UUID {
    fileprivate static func random(_ random: inout SeededGenerator) -> UUID {
        let words = (random.next(), random.next())
        return withUnsafeBytes(of: words) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

@Suite struct `The fields of a record` {
    private func random(_ random: inout SeededGenerator) -> Fields {
        var values: [String: FieldValue] = [:]
        for _ in 0..<(random.next() % 8) {
            let name = ["a", "b", "cc", "dd", "long name", "ü"][Int(random.next() % 6)]
            let value: FieldValue =
                switch random.next() % 4 {
                case 0: .integer(Int128(random.next() % 3))
                case 1: .text("t\(random.next() % 3)")
                case 2: .null
                default: .array([.bool(random.next() % 2 == 0)])
                }
            values[name] = value
        }
        return Fields(values)
    }

    @Test func `differ and merge back, over random records`() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<3_000 {
            let old = random(&generator)
            let new = random(&generator)
            guard let difference = try Fields.difference(from: old.encoded, to: new.encoded) else {
                #expect(old == new)
                continue
            }
            let merged = try Fields.merge(
                old.encoded, before: difference.before, after: difference.after)
            #expect(merged == new.encoded)
            let back = try Fields.merge(
                new.encoded, before: difference.after, after: difference.before)
            #expect(back == old.encoded)
            for (name, value) in try Fields(encoded: difference.before).values() {
                #expect(old[name] == value)
                #expect(new[name] != value)
            }
        }
    }

    @Test func `keep absent and null apart`() throws {
        let absent = Fields(["a": 1])
        let null = Fields(["a": 1, "b": .null])
        #expect(absent != null)
        #expect(absent["b"] == nil)
        #expect(null["b"] == .some(.null))
        let difference = try #require(
            try Fields.difference(from: absent.encoded, to: null.encoded))
        #expect(Fields(encoded: difference.before) == Fields())
        #expect(Fields(encoded: difference.after) == Fields(["b": .null]))
    }

    @Test func `turn into JSON and back where JSON has the words`() throws {
        let table: [(FieldValue, String)] = [
            (.null, "null"), (true, "true"), (1, "1"), (-1, "-1"), (1.0, "1.0"), (1e100, "1e+100"),
            ("a\"\\\n\u{1}ü", "\"a\\\"\\\\\\n\\u0001ü\""), (.array([1, "x"]), "[1,\"x\"]"),
            (.map(["b": 1, "a": .null]), "{\"a\":null,\"b\":1}"),
            (.integer(Int128.max), "170141183460469231731687303715884105727"),
        ]
        for (value, json) in table {
            #expect(value.jsonText() == json)
            #expect(try FieldValue(json: json) == value)
        }
        #expect(FieldValue.double(.nan).jsonText() == "\"NaN\"")
        #expect(FieldValue.double(-.infinity).jsonText() == "\"-Infinity\"")
        #expect(FieldValue.bytes(Data([1, 2, 3])).jsonText() == "\"AQID\"")
        let date = FieldValue.date(Date(timeIntervalSinceReferenceDate: 0.5))
        #expect(date.jsonText() == "\"2001-01-01T00:00:00.5Z\"")
        #expect(FieldValue.tagged(4, .array([-2, 12_345])).jsonText() == "\"123.45\"")
        #expect(FieldValue.tagged(99, 1).jsonText() == "{\"tag\":99,\"value\":1}")
        for text in [
            "{", "", "1 2", "01", "1.", "+1", "[1,]", "{\"a\":1,\"a\":2}", "\"\\x\"", "nul",
            "\"", String(repeating: "[", count: 1_000),
        ] {
            #expect(throws: StoreError(.invalidInput, "")) { try FieldValue(json: text) }
        }
        #expect(
            try FieldValue(json: " [ \"\\ud83c\\udf0d\\t\" , {} ] ")
                == .array(["\u{1F30D}\t", .map([:])]))
        #expect(FieldValue.text("x").text == "x")
        #expect(FieldValue.integer(7).integer == 7)
        #expect(FieldValue.integer(7).double == 7)
        #expect(FieldValue.bool(true).bool == true)
    }
}
