import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Encodes and decodes; checks that the bytes are the canonical ones.
func roundTrip<T: Codable>(_ value: T, _ type: T.Type = T.self) throws -> T {
    let encoded = try CBOREncoder().encode(value)
    #expect(try FieldValue(cbor: encoded).encoded() == encoded, "not canonical: \(hex(encoded))")
    return try CBORDecoder().decode(T.self, from: encoded)
}

private func expectRoundTrip<T: Codable & Equatable>(
    _ value: T, location: SourceLocation = #_sourceLocation
) throws {
    #expect(try roundTrip(value) == value, sourceLocation: location)
    #expect(try roundTrip([value, value]) == [value, value], sourceLocation: location)
    #expect(try roundTrip(["key": value]) == ["key": value], sourceLocation: location)
    #expect(try roundTrip(Box(value: value)) == Box(value: value), sourceLocation: location)
    #expect(try roundTrip(Single(value: value)) == Single(value: value), sourceLocation: location)
    #expect(try roundTrip([value] as [T?] + [nil]) == [value, nil], sourceLocation: location)
}

private struct Box<T: Codable & Equatable>: Codable, Equatable {
    var value: T
    var optional: T?
    var absent: T?

    init(value: T) {
        self.value = value
        optional = value
    }
}

private struct Single<T: Codable & Equatable>: Codable, Equatable {
    var value: T

    init(value: T) { self.value = value }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(T.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

@Suite struct `A value that is encoded and decoded` {
    @Test func `keeps integers of every width`() throws {
        func check<T: FixedWidthInteger & Codable>(_ type: T.Type) throws {
            for value in [T.min, T.max, 0, 1, T.min + 1, T.max - 1, 23, 24, 100] {
                try expectRoundTrip(value)
            }
            for shift in 0..<T.bitWidth {
                try expectRoundTrip(T.max >> T(shift))
                try expectRoundTrip(T.min >> T(shift))
            }
        }
        try check(Int.self)
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(Int128.self)
        try check(UInt.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
        try check(UInt128.self)
    }

    @Test func `keeps every bit of doubles`() throws {
        var random = RandomSource(seed: 1)
        var values: [Double] = [
            0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            .leastNormalMagnitude, 65504, 65505, 65520, 0x1p-24, 0x1p-25, 0x1.ffcp-15, 0x1p-14,
            0x1p-149, 0x1p-150, 0x1.fffffep127, 0x1p128, 1 / 3,
        ]
        values += (0..<5_000).map { _ in random.double() }.filter { !$0.isNaN }
        for value in values {
            for value in [value, -value] {
                #expect(try roundTrip(value).bitPattern == value.bitPattern)
                #expect(try roundTrip([value])[0].bitPattern == value.bitPattern)
            }
        }
        #expect(try roundTrip(Double.nan).isNaN)
        #expect(try roundTrip(Double.signalingNaN).isNaN)
        #expect(try CBOREncoder().encode(-Double.nan) == [0xF9, 0x7E, 0x00])
        #expect(try CBOREncoder().encode(Float.nan) == [0xF9, 0x7E, 0x00])
    }

    @Test func `keeps every bit of floats`() throws {
        var random = RandomSource(seed: 2)
        var values: [Float] = [
            0, -0.0, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, 1.5, 65504,
        ]
        values += (0..<5_000).map { _ in
            Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
        }
        for value in values where !value.isNaN {
            #expect(try roundTrip(value).bitPattern == value.bitPattern)
            #expect(try roundTrip(Double(value)) == Double(value))
        }
        #expect(try roundTrip(Float.nan).isNaN)
    }

    @Test func `keeps all halves, in three bytes`() throws {
        for bits in UInt16.min...UInt16.max {
            let value = HalfFloat.value(bits)
            let encoded = try CBOREncoder().encode(value)
            #expect(encoded.count == 3)
            if !value.isNaN { #expect(encoded == [0xF9, UInt8(bits >> 8), UInt8(bits & 0xFF)]) }
        }
    }

    @Test func `keeps texts, scalar by scalar`() throws {
        var random = RandomSource(seed: 3)
        for length in [0, 1, 7, 8, 15, 16, 23, 24, 255, 256, 65_535, 65_536] {
            let text = String(repeating: "x", count: length)
            #expect(try roundTrip(text) == text)
        }
        for _ in 0..<2_000 {
            let text = random.text()
            #expect(try Array(roundTrip(text).unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test func `keeps booleans, ids, data`() throws {
        var random = RandomSource(seed: 4)
        try expectRoundTrip(true)
        try expectRoundTrip(false)
        for count in [0, 1, 23, 24, 300] {
            try expectRoundTrip(
                Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
        }
        for _ in 0..<100 { try expectRoundTrip(random.uuid()) }
    }

    @Test func `keeps every bit of dates`() throws {
        var random = RandomSource(seed: 5)
        for _ in 0..<5_000 {
            let seconds = random.double()
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let decoded = try roundTrip(date).timeIntervalSinceReferenceDate
            #expect(decoded.bitPattern == seconds.bitPattern || (decoded.isNaN && seconds.isNaN))
        }
        try expectRoundTrip(Date.distantPast)
        try expectRoundTrip(Date.distantFuture)
        try expectRoundTrip(Date(timeIntervalSince1970: 1_700_000_000.123))
    }

    @Test func `keeps decimals up to their extremes`() throws {
        let texts = [
            "0", "1", "-1", "10", "100", "0.1", "-0.001", "123.4500", "99999999999999999999",
            "12345678901234567890123456789012345678", "-99999999999999999999999999999999999999",
            "0.00000000000000000000000000000000000001", "340282366920938463463374607431768211455",
            "12345678901234567890123456789012345678e-100", "1e127", "1e-128", "-7e100",
            "18446744073709551616", "18446744073709551615", "10e127", "-10e127", "1200e127",
            "340282366920938463463374607431768211450e127",
        ]
        for text in texts {
            let decimal = try #require(Decimal(string: text), "\(text)")
            try expectRoundTrip(decimal)
        }
        for decimal in [
            Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude, .pi,
        ] {
            try expectRoundTrip(decimal)
        }
        #expect(try roundTrip(Decimal.nan).isNaN)
        #expect(
            hex(try CBOREncoder().encode(try #require(Decimal(string: "273.15")))) == "c48221196ab3"
        )
        #expect(
            hex(try CBOREncoder().encode(try #require(Decimal(string: "27300")))) == "c48202190111")
        #expect(hex(try CBOREncoder().encode(Decimal(0))) == "c4820000")
    }

    @Test func `reads any form of a decimal, or throws if there is no such decimal`() throws {
        func decode(_ exponent: Int, _ mantissa: Int) throws -> Decimal {
            let value: FieldValue = .tagged(
                4, [.integer(Int128(exponent)), .integer(Int128(mantissa))])
            return try value.decode(as: Decimal.self)
        }
        #expect(try decode(120, 1_000_000_000) == Decimal(string: "10000e125"))
        let zeros = String(repeating: "0", count: 38)
        #expect(try decode(165, -3) == Decimal(string: "-3\(zeros)e127"))
        #expect(try decode(500, 0) == 0)
        #expect(throws: DecodingError.self) { try decode(166, 4) }
        #expect(throws: DecodingError.self) { try decode(500, 1) }
        #expect(throws: DecodingError.self) { try decode(-129, 1) }
    }

    @Test func `keeps random decimals`() throws {
        var random = RandomSource(seed: 6)
        for _ in 0..<1_000 {
            let digits = (0...random.below(38)).map { _ in String(random.below(10)) }.joined()
            let sign = random.below(2) == 0 ? "-" : ""
            let text = sign + digits + "e\(random.below(160) - 90)"
            let decimal = try #require(Decimal(string: text))
            #expect(try roundTrip(decimal) == decimal, "\(text)")
        }
    }

    @Test func `keeps URLs, with and without a base`() throws {
        let base = try #require(URL(string: "https://example.com/a/"))
        for text in [
            "https://example.com", "mailto:a@b.c", "file:///tmp/x%20y", "relative/path?q=1#f",
            "https://example.com/%E2%82%AC",
        ] {
            let url = try #require(URL(string: text))
            try expectRoundTrip(url)
            let relative = try #require(URL(string: "b?c", relativeTo: base))
            let decoded = try roundTrip(relative)
            #expect(decoded == relative)
            #expect(decoded.baseURL == base)
            #expect(decoded.relativeString == "b?c")
        }
        #expect(hex(try CBOREncoder().encode(try #require(URL(string: "a:b")))) == "d82063613a62")
    }

    @Test func `keeps optionals of optionals apart as far as Codable does`() throws {
        #expect(try roundTrip(Int?.none) == nil)
        #expect(try roundTrip(Int?.some(5)) == 5)
        #expect(try roundTrip([1, nil, 3] as [Int?]) == [1, nil, 3])
        #expect(
            try roundTrip([["a": nil], ["b": 2]] as [[String: Int?]]) == [["a": nil], ["b": 2]])
        #expect(
            try roundTrip([[nil, [1, nil]], nil] as [[[Int?]?]?]) == [[nil, [1, nil]], nil])
    }

    @Test func `keeps whole structures`() throws {
        #expect(try roundTrip(Sample.filled) == Sample.filled)
        #expect(try roundTrip([Sample.filled, Sample()]).first == Sample.filled)
    }

    @Test func `keeps large collections`() throws {
        let list = (0..<70_000).map { $0 &* 7919 - 35_000 }
        #expect(try roundTrip(list) == list)
        let table = Dictionary(uniqueKeysWithValues: list.prefix(3_000).map { ("key \($0)", $0) })
        #expect(try roundTrip(table) == table)
        let samples = Array(repeating: Sample.filled, count: 300)
        #expect(try roundTrip(samples) == samples)
    }
}

@Suite struct `A number of another type` {
    @Test func `is decoded if it fits exactly`() throws {
        func decode<A: Encodable, B: Decodable>(_ value: A, as type: B.Type) throws -> B {
            try CBORDecoder().decode(type, from: CBOREncoder().encode(value))
        }
        #expect(try decode(255, as: UInt8.self) == 255)
        #expect(try decode(Int128.max, as: UInt128.self) == UInt128(Int128.max))
        #expect(try decode(7, as: Double.self) == 7)
        #expect(try decode(-7, as: Float.self) == -7)
        #expect(try decode(1 << 60, as: Double.self) == 0x1p60)
        #expect(throws: DecodingError.self) { try decode(256, as: UInt8.self) }
        #expect(throws: DecodingError.self) { try decode(-1, as: UInt8.self) }
        #expect(throws: DecodingError.self) { try decode(-1, as: UInt64.self) }
        #expect(throws: DecodingError.self) { try decode(-1 - (Int128(1) << 64), as: UInt128.self) }
        #expect(throws: DecodingError.self) { try decode(UInt64.max, as: Int64.self) }
        #expect(throws: DecodingError.self) { try decode(Int64.min, as: Int32.self) }
        #expect(throws: DecodingError.self) { try decode(UInt128.max, as: Int128.self) }
        #expect(throws: DecodingError.self) { try decode((1 << 60) + 1, as: Double.self) }
        #expect(throws: DecodingError.self) { try decode((1 << 24) + 1, as: Float.self) }
        #expect(throws: DecodingError.self) { try decode(0.1, as: Float.self) }
        #expect(throws: DecodingError.self) { try decode(1.0, as: Int.self) }
        #expect(throws: DecodingError.self) { try decode("1", as: Int.self) }
        #expect(throws: DecodingError.self) { try decode(true, as: Int.self) }
    }

    @Test func `is distinguished by the error`() throws {
        func error(_ hex: String) -> DecodingError? {
            #expect(throws: DecodingError.self) {
                try CBORDecoder().decode(Int8.self, from: bytes(hex))
            }
        }
        if case .typeMismatch = error("6161") {} else { Issue.record("text is no integer") }
        if case .valueNotFound = error("f6") {} else { Issue.record("null is no value") }
        if case .dataCorrupted = error("1880") {} else { Issue.record("128 does not fit") }
        if case .dataCorrupted = error("18") {} else { Issue.record("cut off") }
    }
}
