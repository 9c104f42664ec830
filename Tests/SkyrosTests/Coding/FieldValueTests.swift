import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A value without its type` {
    @Test func `comes back from its bytes`() throws {
        var random = RandomSource(seed: 31)
        for _ in 0..<3_000 {
            let value = random.value(depth: 4)
            let encoded = try value.encoded()
            let decoded = try FieldValue(cbor: encoded)
            #expect(decoded == value)
            #expect(decoded.hashValue == value.hashValue)
            #expect(try decoded.encoded() == encoded)
            #expect(value == value)
        }
    }

    @Test func `equals what Codable stores`() throws {
        let value = try FieldValue(Sample.filled)
        #expect(value["text"] == "Nonna é")
        #expect(value["int"]?.integer == -77_777)
        #expect(value["double"]?.double == 0.1)
        #expect(value["bool"]?.bool == true)
        #expect(value["id"]?.uuid == Sample.filled.id)
        #expect(value["date"]?.date == Sample.filled.date)
        #expect(value["data"]?.bytes == Sample.filled.data)
        #expect(value["list"]?[1]?.integer == 1000)
        #expect(value["list"]?[3] == nil)
        #expect(value["list"]?.array?.count == 3)
        #expect(value["table"]?["a"]?[0] == 1)
        #expect(value["shapes"]?[1] == ["circle": ["radius": 2.0]])
        #expect(value["kind"]?.text == "small")
        #expect(value["set"] == ["p", "q", "rr"])
        #expect(value["other"] == nil)
        #expect(value.map?.count == 13)
        #expect(try value.decode(as: Sample.self) == Sample.filled)
        #expect(FieldValue.null.isNull)
        #expect(FieldValue.integer(.max).integer == nil)
        #expect(FieldValue.integer(7).double == 7)
        #expect(FieldValue.integer((1 << 60) + 1).double == nil)
    }

    @Test func `has bignums in their shortest form`() throws {
        let cases: [(FieldValue, String)] = [
            (.tagged(2, .bytes(Data([0, 0, 5]))), "05"),
            (.tagged(3, .bytes(Data([0, 0, 5]))), "25"),
            (.tagged(2, .bytes(Data())), "00"),
            (
                .tagged(2, .bytes(Data([0] + Array(repeating: 255, count: 9)))),
                "c249ffffffffffffffffff"
            ),
            (.tagged(2, .text("no bytes")), "c2686e6f206279746573"),
        ]
        for (value, expected) in cases {
            #expect(hex(try value.encoded()) == expected)
        }
        let largest = "c250" + String(repeating: "ff", count: 16)
        #expect(hex(try FieldValue(cbor: bytes(largest)).encoded()) == largest)
        #expect(try FieldValue(cbor: bytes("c24400000005")) == 5)
        #expect(
            try FieldValue(cbor: bytes("c350" + "7f" + String(repeating: "ff", count: 15)))
                == .integer(.min))
    }

    @Test func `keeps tags whose content does not suit them`() throws {
        for hex in ["d82543010203", "d8256161", "d9da7e6161", "c26161", "c4820001", "d82001"] {
            let value = try FieldValue(cbor: bytes(hex))
            guard case .tagged = value else {
                Issue.record("\(hex) became \(value)")
                continue
            }
            #expect(try value.encoded() == bytes(hex))
        }
    }

    @Test func `equals itself also where Swift's numbers do not`() {
        #expect(FieldValue.double(.nan) == .double(.nan))
        #expect(
            FieldValue.date(Date(timeIntervalSinceReferenceDate: .nan))
                == .date(Date(timeIntervalSinceReferenceDate: .nan)))
        #expect(Set([FieldValue.double(.nan), .double(-.nan)]).count == 1)
        #expect(FieldValue.integer(1) != .double(1))
        #expect(FieldValue.null != .bool(false))
    }

    @Test func `is never null for nil, which means that there is none`() {
        let type: Any.Type = FieldValue.self
        #expect(!(type is any ExpressibleByNilLiteral.Type))
    }

    @Test func `describes itself as JSON, whatever it is`() {
        let value: FieldValue = ["a": [1, 2.5, .null], "b": true, "c": "é"]
        #expect(value.description == "{\"a\":[1,2.5,null],\"b\":true,\"c\":\"é\"}")
        #expect(value.debugDescription == value.description)
        #expect("\(FieldValue.date(Date(timeIntervalSinceReferenceDate: .nan)))" == "\"NaN\"")
    }

    @Test func `keeps keys apart that Swift takes for equal (F66)`() throws {
        // As CBOR: {"é": 1, "e\u{301}": 2}: different bytes, equal strings.
        let encoded = bytes("a262c3a9016365cc8102")
        let value = try FieldValue(cbor: encoded)
        #expect(value["\u{E9}"] == 1 && value["e\u{301}"] == 2)
        #expect(try value.encoded() == encoded)
        let json = value.jsonText()
        #expect(json.utf8.elementsEqual("{\"e\u{301}\":2,\"\u{E9}\":1}".utf8))
        #expect(try FieldValue(json: json) == value)
        #expect(value != ["\u{E9}": 2, "e\u{301}": 1] && value != ["\u{E9}": 1])
    }

    @Test func `refuses a key that repeats`() throws {
        #expect(throws: CBORError(.duplicateKey, at: 0)) {
            try FieldValue(cbor: bytes("a2616101616102"))
        }
        // {"b": 1, "a": 2, "b": 3}
        #expect(throws: CBORError(.duplicateKey, at: 1)) {
            try FieldValue(cbor: bytes("81a3616201616102616203"))
        }
        #expect(throws: JSONError(problem: "the key \"b\" repeats", offset: 1)) {
            try FieldValue(json: "[{\"b\":1,\"a\":2,\"b\":3}]")
        }
    }

    /// One insertion after the other would move each entry some 100,000 times.
    @Test func `sorts many keys once, in whatever order they come`() throws {
        let names = (0..<200_000).reversed().map { String($0 + 1_000_000) }
        let values = NamedValues(names.map { ($0, $0) } + [(names[7], "last")])
        #expect(Array(values.keys) == names.reversed())
        #expect(values[names[7]] == "last" && values[names[8]] == names[8])
        let object = names.map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(try FieldValue(json: "{\(object)}").map?.count == names.count)
    }

    @Test func `combines the values of names that both sides have`() {
        let left: NamedValues = ["b": 1, "aa": 2, "c": 3]
        let merged = left.merging(["a": 10, "c": 20, "zz": 30]) { $0 * 100 + $1 }
        #expect(merged == ["a": 10, "b": 1, "c": 320, "aa": 2, "zz": 30])
        #expect(left.merging([:]) { $1 } == left && NamedValues().merging(left) { $1 } == left)
    }
}
