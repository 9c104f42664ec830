import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A record id` {
    private enum Code: String, Codable { case alpha }
    private struct Pair: Codable, Equatable { var b: Int; var a: String }

    private func check<ID: Codable & Equatable>(_ id: ID, _ description: String) throws {
        let recordID = try RecordID(encoding: id)
        #expect(try recordID.bytes.array == CBOREncoder().encode(id))
        #expect(try recordID.decode(as: ID.self) == id)
        #expect(try recordID.value == FieldValue(id))
        #expect(recordID.description == description)
    }

    @Test func `is the canonical bytes of the id`() throws {
        var random = RandomSource(seed: 51)
        for _ in 0..<100 {
            let uuid = random.uuid()
            try check(uuid, uuid.uuidString.lowercased())
            #expect(RecordID(uuid) == (try RecordID(encoding: uuid)))
            let integer = Int(random.integer())
            try check(integer, "\(integer)")
            #expect(RecordID(integer) == (try RecordID(encoding: integer)))
        }
        for length in [0, 1, 21, 22, 23, 24, 255, 256, 65_536] {
            let text = String(repeating: "é", count: length)
            try check(text, text)
            #expect(RecordID(text) == (try RecordID(encoding: text)))
        }
        for integer in [0, 23, 24, 255, 256, 65_535, 65_536, 1 << 32, .max, -1, -24, -25, .min] {
            try check(integer, "\(integer)")
            try check(Int64(integer), "\(integer)")
        }
        for integer in [UInt128.max, 1 << 64, 1 << 63, 300] {
            #expect(try RecordID(integer) == RecordID(encoding: integer))
        }
        for integer in [Int128.min, -1 << 64, -1 - 1 << 63, -300, .max] {
            #expect(try RecordID(integer) == RecordID(encoding: integer))
        }
        try check(UInt64.max, "\(UInt64.max)")
        try check(UInt8(200), "200")
        try check(Code.alpha, "alpha")
        try check(Pair(b: 1, a: "x"), "{\"a\":\"x\",\"b\":1}")
        try check([1, 2], "[1,2]")
        #expect(try RecordID("x" as FieldValue) == RecordID("x"))
        #expect(try RecordID(7 as FieldValue) == RecordID(7))
    }

    @Test func `is ordered by its value`() throws {
        let ids =
            try [-1, 0, 5, 300].map { try RecordID(encoding: $0) } + [
                RecordID("a"), RecordID("bb"),
            ]
        let sorted = ids.sorted().map(\.description)
        #expect(sorted == ["-1", "0", "5", "300", "a", "bb"])
    }

    @Test func `that is not CBOR is shown as bytes`() {
        #expect(RecordID(ByteString([0xFF])).value == .bytes(Data([0xFF])))
        #expect(RecordID(ByteString([0xFF])).description == "/w==")
    }
}

@Suite struct `A record` {
    @Test func `gives and takes fields`() throws {
        var record = try Record(
            entity: "Restaurant", id: RecordID("x"),
            fields: ["name": "Nonna", "id": "x", "stars": 3])
        #expect(record.entity == "Restaurant")
        #expect(record.id == RecordID("x"))
        #expect(record.fieldNames == ["id", "name", "stars"])
        #expect(record["name"] == "Nonna")
        #expect(record["other"] == nil)
        record["open"] = true
        record["stars"] = nil
        record["name"] = .null
        #expect(record.fieldNames == ["id", "name", "open"])
        #expect(record["name"] == FieldValue.null)
        #expect(record["stars"] == nil)
        try record.set("a much longer name than the others", to: [1, 2])
        #expect(record["a much longer name than the others"] == [1, 2])
        record["absent"] = nil
        #expect(record.fields.bytes == (try FieldValue.map(record.fields.readValues()).encoded()))
    }

    @Test func `decodes into a type`() throws {
        let encoded = try CBOREncoder().encode(Sample.filled)
        let fields = try Fields(canonical: encoded)
        let record = Record(entity: "Sample", id: RecordID(Sample.filled.id), fields: fields)
        #expect(try record.decode(as: Sample.self) == Sample.filled)
        #expect(record["text"] == "Nonna é")
        #expect(record.fieldNames.count == 13)
    }

    @Test func `equals another by its bytes`() throws {
        let a = try Record(entity: "E", id: RecordID(1), fields: ["a": 1, "bb": 2])
        let b = try Record(entity: "E", id: RecordID(1), fields: ["bb": 2, "a": 1])
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        #expect(a != (try Record(entity: "E", id: RecordID(1), fields: ["a": 1, "bb": 2.0])))
        #expect(a != (try Record(entity: "E", id: RecordID(2), fields: ["a": 1, "bb": 2])))
        #expect(a != (try Record(entity: "F", id: RecordID(1), fields: ["a": 1, "bb": 2])))
    }

    @Test(arguments: ["80", "01", "a2616201616101", "a2616101616102", "a1616101ff", "a10101", ""])
    func `refuses fields that are not a canonical map`(hex: String) {
        #expect(throws: CBORError.self) { try Fields(canonical: bytes(hex)) }
    }

    @Test func `refuses values that nest too deeply`() throws {
        var deep: FieldValue = 1
        for _ in 0..<128 { deep = [deep] }
        #expect(throws: CBORError.self) {
            try Record(entity: "E", id: RecordID(1), fields: ["a": deep])
        }
        var record = try Record(entity: "E", id: RecordID(1), fields: [:])
        #expect(throws: CBORError.self) { try record.set("a", to: deep) }
        #expect(record.fieldNames.isEmpty)
    }
}

@Suite struct `A difference of fields` {
    @Test func `has the changed fields only`() throws {
        let old = try Fields(["a": 1, "b": 2, "cc": 3, "gone": .null]).bytes
        let new = try Fields(["a": 1, "b": 5, "cc": 3, "new": [1]]).bytes
        let difference = try #require(try Fields.difference(from: old, to: new))
        #expect(try FieldValue(cbor: difference.before) == ["b": 2, "gone": .null])
        #expect(try FieldValue(cbor: difference.after) == ["b": 5, "new": [1]])
        #expect(try Fields.difference(from: old, to: old) == nil)
        let empty = try Fields([:]).bytes
        #expect(try #require(try Fields.difference(from: empty, to: new)).before == empty)
        #expect(try #require(try Fields.difference(from: new, to: empty)).after == empty)
        #expect(try #require(try Fields.difference(from: new, to: empty)).before == new)
    }

    @Test func `leads from the old record to the new, and back`() throws {
        var random = RandomSource(seed: 61)
        for _ in 0..<3_000 {
            var fields = random.fields()
            let old = try Fields(fields).bytes
            if random.below(2) == 0 {
                fields = random.fields()
            } else {
                for name in fields.keys.sorted() where random.below(3) == 0 {
                    fields[name] = random.below(2) == 0 ? nil : random.value()
                }
            }
            let new = try Fields(fields).bytes
            guard let (before, after) = try Fields.difference(from: old, to: new) else {
                #expect(old == new)
                continue
            }
            #expect(old != new)
            #expect(try Fields.merge(old, before: before, after: after) == new)
            #expect(try Fields.merge(new, before: after, after: before) == old)
            #expect(
                try Fields(canonical: before).names.allSatisfy {
                    try Fields(canonical: old).value(of: $0) != nil
                })
            #expect(try Fields(canonical: after).bytes == after)
        }
    }

    @Test func `of large records is exact, too`() throws {
        var fields = NamedValues((0..<400).map { ("field \($0)", FieldValue.integer(1)) })
        let old = try Fields(fields).bytes
        for index in stride(from: 0, to: 400, by: 3) { fields["field \(index)"] = nil }
        for index in stride(from: 1, to: 400, by: 3) { fields["field \(index)"] = "x" }
        let new = try Fields(fields).bytes
        let (before, after) = try #require(try Fields.difference(from: old, to: new))
        #expect(try Fields.merge(old, before: before, after: after) == new)
        #expect(try FieldValue(cbor: before).map?.count == 134 + 133)
        #expect(try FieldValue(cbor: after).map?.count == 133)
    }

    @Test func `of maps that are not canonical is refused`() throws {
        let map = try Fields(["a": 1]).bytes
        for hex in ["a2616201616101", "a2616101616102", "80", "a1616101ff"] {
            #expect(throws: CBORError.self) { try Fields.difference(from: map, to: bytes(hex)) }
            #expect(throws: CBORError.self) {
                try Fields.merge(bytes(hex), before: map, after: map)
            }
            #expect(throws: CBORError.self) {
                try Fields.merge(map, before: bytes(hex), after: map)
            }
            #expect(throws: CBORError.self) {
                try Fields.merge(map, before: map, after: bytes(hex))
            }
        }
    }
}
