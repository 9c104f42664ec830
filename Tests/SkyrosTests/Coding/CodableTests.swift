import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Encodes, decodes, and compares; also the bytes of what came back.
private func roundTrip<T: Codable & Equatable>(_ value: T) throws -> T {
    let bytes = try CBOREncoder().encode(value)
    let back = try CBORDecoder().decode(T.self, from: bytes)
    #expect(try CBOREncoder().encode(back) == bytes)
    return back
}

private func encodedHex(_ value: some Encodable) throws -> String {
    hex(try CBOREncoder().encode(value))
}

private struct Nested: Codable, Equatable {
    struct Inner: Codable, Equatable {
        var deep: [[Int?]]
        var map: [String: [String: Bool]]
    }

    enum Choice: Codable, Equatable {
        case none
        case one(Int)
        case named(left: String, right: Inner)
    }

    enum Key: String, Codable, Hashable { case a, b, c }

    struct Point: Codable, Hashable { var x: Int; var y: Int }

    var inner = Inner(deep: [[1, nil], [], [nil]], map: ["x": ["y": true], "": [:]])
    var choices: [Choice] = [.none, .one(-1), .named(left: "l", right: Inner(deep: [], map: [:]))]
    var byKey: [Key: Int] = [.a: 1, .b: 2, .c: 3]
    var byPoint: [Point: String] = [Point(x: 1, y: 2): "p", Point(x: -1, y: 0): "q"]
    var byID: [UUID: Int] = [UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)): 1]
    var byNumber: [Int: Int] = [-1: 1, 20: 2, 3: 3]
    var points: Set<Point> = [Point(x: 1, y: 1), Point(x: 2, y: 2)]
    var maybe: Int??
    var explicit: [String?] = [nil, "a"]
}

private class Animal: Codable {
    var name = "cat"
    init() {}
}

private final class Dog: Animal {
    var breed = "pug"
    private enum CodingKeys: String, CodingKey { case breed }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        breed = try container.decode(String.self, forKey: .breed)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(breed, forKey: .breed)
        try super.encode(to: container.superEncoder())
    }
}

/// Writes its containers interleaved, out of order, and one key twice.
private struct Unruly: Codable, Equatable {
    var numbers = [1, 2, 3]
    var text = "t"

    enum Key: String, CodingKey { case zebra, ape, list, nest, text }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        text = try container.decode(String.self, forKey: .text)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        numbers = []
        while !list.isAtEnd { numbers.append(try list.decode(Int.self)) }
        let nest = try container.nestedContainer(keyedBy: Key.self, forKey: .nest)
        #expect(try nest.decode(Int.self, forKey: .ape) == 7)
        #expect(try nest.decodeIfPresent(Int.self, forKey: .zebra) == nil)
        #expect(container.contains(.zebra))
        #expect(try container.decodeNil(forKey: .zebra))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("first", forKey: .text)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        var nest = container.nestedContainer(keyedBy: Key.self, forKey: .nest)
        try list.encode(numbers[0])
        try nest.encode(7, forKey: .ape)
        try list.encode(numbers[1])
        try container.encode(text, forKey: .text)
        try list.encode(numbers[2])
        try container.encodeNil(forKey: .zebra)
    }
}

@Suite struct `Encoding and decoding` {
    @Test func `give back every integer to its extremes`() throws {
        func extremes<T: FixedWidthInteger & Codable>(_ type: T.Type) throws {
            for value in [
                T.min, T.max, 0, 1, T.max / 2, 23, 24, T(clamping: 255), T(clamping: 256),
            ] {
                #expect(try roundTrip(value) == value)
                #expect(try roundTrip([value]) == [value])
                #expect(try roundTrip(["k": value]) == ["k": value])
            }
        }
        try extremes(Int.self)
        try extremes(Int8.self)
        try extremes(Int16.self)
        try extremes(Int32.self)
        try extremes(Int64.self)
        try extremes(Int128.self)
        try extremes(UInt.self)
        try extremes(UInt8.self)
        try extremes(UInt16.self)
        try extremes(UInt32.self)
        try extremes(UInt64.self)
        try extremes(UInt128.self)
    }

    @Test func `give back every float to the last bit`() throws {
        var random = RandomSource(seed: 1)
        var doubles: [Double] = [
            0, -0.0, 1.5, 0.1, .infinity, -.infinity, .pi, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, 65_504, 65_505, 5.960464477539063e-8,
        ]
        doubles += (0..<2_000).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
        for value in doubles {
            #expect(try roundTrip(value).bitPattern == value.bitPattern)
            let date = Date(timeIntervalSinceReferenceDate: value)
            #expect(
                try roundTrip(date).timeIntervalSinceReferenceDate.bitPattern == value.bitPattern)
            let single = Float(value)
            if !single.isNaN { #expect(try roundTrip(single).bitPattern == single.bitPattern) }
        }
        #expect(try CBORDecoder().decode(Double.self, from: CBOREncoder().encode(Double.nan)).isNaN)
    }

    @Test func `give back decimals, URLs, data, UUIDs and texts`() throws {
        for text in ["0", "1", "-1", "0.1", "123456789012345678901234567890.12345678", "1e100"] {
            let value = try #require(Decimal(string: text))
            #expect(try roundTrip(value) == value)
            #expect(try roundTrip(-value) == -value)
        }
        #expect(try roundTrip(Decimal.greatestFiniteMagnitude) == .greatestFiniteMagnitude)
        #expect(try roundTrip(Decimal.nan).isNaN)
        let base = try #require(URL(string: "https://example.org/a/"))
        for url in [base, URL(string: "b/c?d", relativeTo: base), URL(filePath: "/tmp/x y")] {
            let url = try #require(url)
            #expect(try roundTrip(url) == url)
        }
        #expect(try roundTrip(Data([0, 1, 255])) == Data([0, 1, 255]))
        #expect(try roundTrip(Data()) == Data())
        let id = UUID(uuid: (9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6))
        #expect(try roundTrip(id) == id)
        for text in ["", "a", "\0", "é", "e\u{301}", "👨‍👩‍👧", String(repeating: "x", count: 70_000)] {
            #expect(try roundTrip(text).unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }

    @Test func `follow nested containers, enumerations, keys of any kind and optionals`() throws {
        #expect(try roundTrip(Nested()) == Nested())
        #expect(try roundTrip(Unruly()) == Unruly())
        #expect(try roundTrip([Int?.none, 1]) == [nil, 1])
        #expect(try roundTrip(Int?.none) == nil)
        #expect(try roundTrip([[[[1]]]]) == [[[[1]]]])
    }

    @Test func `follow class hierarchies`() throws {
        let dog = Dog()
        dog.name = "Rex"
        let back = try CBORDecoder().decode(Dog.self, from: CBOREncoder().encode(dog))
        #expect(back.name == "Rex")
        #expect(back.breed == "pug")
    }

    @Test func `give the same bytes for the same value, whatever its order`() throws {
        let numbers = Array(0..<200)
        let first = try encodedHex(Set(numbers))
        for seed in 0..<20 {
            var random = RandomSource(seed: UInt64(seed))
            let shuffled = numbers.shuffled(using: &random)
            var set = Set<Int>(minimumCapacity: seed * 50)
            var map: [Int: Int] = [:]
            var texts: [String: Int] = Dictionary(minimumCapacity: seed * 30)
            for number in shuffled {
                set.insert(number)
                map[number] = number
                texts["key \(number)"] = number
            }
            #expect(try encodedHex(set) == first)
            #expect(
                try encodedHex(map)
                    == encodedHex(Dictionary(uniqueKeysWithValues: numbers.map { ($0, $0) })))
            #expect(
                try encodedHex(texts)
                    == encodedHex(
                        Dictionary(uniqueKeysWithValues: numbers.map { ("key \($0)", $0) })))
        }
    }

    @Test(arguments: [
        // RFC 8949, appendix A.
        ("00", 0), ("17", 23), ("1818", 24), ("1903e8", 1_000), ("1a000f4240", 1_000_000),
        ("20", -1), ("3863", -100), ("3903e7", -1_000),
    ])
    func `write integers as the standard does`(expected: String, number: Int) throws {
        #expect(try encodedHex(number) == expected)
    }

    @Test func `write other values as the standard does`() throws {
        #expect(try encodedHex(1.0) == "f93c00")
        #expect(try encodedHex(1.1) == "fb3ff199999999999a")
        #expect(try encodedHex(100_000.0) == "fa47c35000")
        #expect(try encodedHex(Double.nan) == "f97e00")
        #expect(try encodedHex(-Double.infinity) == "f9fc00")
        #expect(try encodedHex(UInt64.max) == "1bffffffffffffffff")
        #expect(try encodedHex(Int128(UInt64.max) + 1) == "c249010000000000000000")
        #expect(try encodedHex("ü") == "62c3bc")
        #expect(try encodedHex([1, 2, 3]) == "83010203")
        #expect(try encodedHex(["b": 1, "a": 2, "aa": 3]) == "a361610261620162616103")
        #expect(try encodedHex(true) == "f5")
        #expect(try encodedHex(Int?.none) == "f6")
        #expect(try encodedHex(Data([1, 2])) == "420102")
        #expect(try encodedHex(Date(timeIntervalSinceReferenceDate: 0)) == "d9da7ef90000")
    }

    @Test func `refuse what does not fit, and never trap on any bytes`() throws {
        #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Int8.self, from: [0x18, 200])
        }
        #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Int.self, from: [0x61, 0x61])
        }
        #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(
                Float.self, from: [0xFB, 0x3F, 0xF1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A])
        }
        #expect(try CBORDecoder().decode(Double.self, from: [0x18, 200]) == 200)
        let bytes = try CBOREncoder().encode(Nested())
        for length in 0..<bytes.count {
            #expect(throws: DecodingError.self) {
                try CBORDecoder().decode(Nested.self, from: Array(bytes[..<length]))
            }
        }
        var survivors = 0
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, bytes[index] ^ 0x20] {
                var damaged = bytes
                damaged[index] = value
                if (try? CBORDecoder().decode(Nested.self, from: damaged)) != nil { survivors += 1 }
                _ = try? FieldValue(cbor: damaged)
            }
        }
        #expect(survivors > 0)
        let deep = [UInt8](repeating: 0x81, count: 100_000) + [0]
        #expect(throws: (any Error).self) { try FieldValue(cbor: deep) }
        #expect(throws: DecodingError.self) { try CBORDecoder().decode([Int].self, from: deep) }
        #expect(throws: (any Error).self) {
            try FieldValue(cbor: [0x9B] + [UInt8](repeating: 0xFF, count: 8))
        }
    }

    @Test func `say where something does not fit`() throws {
        struct Outer: Codable { var inner: [Inner] }
        struct Inner: Codable { var number: Int }
        struct Other: Codable { var inner: [Wrong] }
        struct Wrong: Codable { var number: String }
        let bytes = try CBOREncoder().encode(Other(inner: [Wrong(number: "x")]))
        do {
            _ = try CBORDecoder().decode(Outer.self, from: bytes)
            Issue.record("a text is no number")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["inner", "Index 0", "number"])
        }
    }
}
