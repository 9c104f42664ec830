import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Vectors of RFC 8949, appendix A, as far as the stored subset goes.
@Suite struct `The examples of RFC 8949` {
    static let integers: [(Int128, String)] = [
        (0, "00"), (1, "01"), (10, "0a"), (23, "17"), (24, "1818"), (25, "1819"), (100, "1864"),
        (1000, "1903e8"), (1_000_000, "1a000f4240"), (1_000_000_000_000, "1b000000e8d4a51000"),
        (18_446_744_073_709_551_615, "1bffffffffffffffff"),
        (18_446_744_073_709_551_616, "c249010000000000000000"),
        (-18_446_744_073_709_551_616, "3bffffffffffffffff"),
        (-18_446_744_073_709_551_617, "c349010000000000000000"),
        (-1, "20"), (-10, "29"), (-100, "3863"), (-1000, "3903e7"),
    ]

    static let floats: [(Double, String)] = [
        (0.0, "f90000"), (-0.0, "f98000"), (1.0, "f93c00"), (1.1, "fb3ff199999999999a"),
        (1.5, "f93e00"), (65504.0, "f97bff"), (100000.0, "fa47c35000"),
        (3.4028234663852886e+38, "fa7f7fffff"), (1.0e+300, "fb7e37e43c8800759c"),
        (5.960464477539063e-8, "f90001"), (0.00006103515625, "f90400"), (-4.0, "f9c400"),
        (-4.1, "fbc010666666666666"), (.infinity, "f97c00"), (.nan, "f97e00"),
        (-.infinity, "f9fc00"),
    ]

    static let values: [(FieldValue, String)] = [
        (false, "f4"), (true, "f5"), (.null, "f6"), ("", "60"), ("a", "6161"),
        ("IETF", "6449455446"),
        ("\"\\", "62225c"), ("\u{FC}", "62c3bc"), ("\u{6C34}", "63e6b0b4"),
        ("\u{10151}", "64f0908591"), (.bytes(Data()), "40"),
        (.bytes(Data([1, 2, 3, 4])), "4401020304"), ([], "80"), ([1, 2, 3], "83010203"),
        ([1, [2, 3], [4, 5]], "8301820203820405"), ([:], "a0"),
        (["a": 1, "b": [2, 3]], "a26161016162820203"), (["a", ["b": "c"]], "826161a161626163"),
        (
            ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"],
            "a56161614161626142616361436164614461656145"
        ),
        (
            .array((1...25).map { .integer($0) }),
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819"
        ),
        (
            .tagged(32, "http://www.example.com"),
            "d82076687474703a2f2f7777772e6578616d706c652e636f6d"
        ),
        (.tagged(23, .bytes(Data([1, 2, 3, 4]))), "d74401020304"),
    ]

    @Test(arguments: integers)
    func `hold for integers`(value: Int128, expected: String) throws {
        #expect(hex(try FieldValue.integer(value).encoded()) == expected)
        #expect(try FieldValue(cbor: bytes(expected)) == .integer(value))
        #expect(hex(try CBOREncoder().encode(value)) == expected)
        #expect(try CBORDecoder().decode(Int128.self, from: bytes(expected)) == value)
    }

    @Test(arguments: floats)
    func `hold for floats`(value: Double, expected: String) throws {
        #expect(hex(try CBOREncoder().encode(value)) == expected)
        let decoded = try CBORDecoder().decode(Double.self, from: bytes(expected))
        #expect(decoded.bitPattern == value.bitPattern || (decoded.isNaN && value.isNaN))
    }

    @Test(arguments: values)
    func `hold for all other values`(value: FieldValue, expected: String) throws {
        #expect(hex(try value.encoded()) == expected)
        #expect(try FieldValue(cbor: bytes(expected)) == value)
    }

    @Test(arguments: [
        "fa3fc00000", "fb3ff8000000000000", "f93e00",
    ])
    func `give floats in every width`(hex: String) throws {
        #expect(try CBORDecoder().decode(Double.self, from: bytes(hex)) == 1.5)
        #expect(try CBORDecoder().decode(Float.self, from: bytes(hex)) == 1.5)
    }

    @Test(arguments: ["05", "1805", "190005", "1a00000005", "1b0000000000000005", "c24105"])
    func `give integers in every width`(hex: String) throws {
        #expect(try CBORDecoder().decode(UInt8.self, from: bytes(hex)) == 5)
        #expect(try CBORDecoder().decode(Double.self, from: bytes(hex)) == 5)
        #expect(try FieldValue(cbor: bytes(hex)) == 5)
    }

    @Test(arguments: [
        "", "18", "1903", "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "bfff", "f7",
        "f0", "f818", "ff", "1c", "3d", "fc", "a10102", "a1f601", "82", "8201", "a1", "a16161",
        "6261", "4401", "61ff", "62c328", "c1", "0000", "a26161016161", "a2616101616102",
        "9bffffffffffffffff", "bb7fffffffffffffff", "5bffffffffffffffff", "7b7fffffffffffffff",
        "9a00ffffff00",
    ])
    func `leave out what is refused`(hex: String) {
        #expect(throws: CBORError.self) { try FieldValue(cbor: bytes(hex)) }
        #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Anything.self, from: bytes(hex))
        }
    }
}

/// Decodes whatever is there, as far as it can tell, by way of the standard library's protocols.
struct Anything: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let map = try? decoder.container(keyedBy: Name.self) {
            for key in map.allKeys { _ = try map.decode(Anything.self, forKey: key) }
            return
        }
        if var array = try? decoder.unkeyedContainer() {
            while !array.isAtEnd { _ = try array.decode(Anything.self) }
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() { return }
        if (try? single.decode(Bool.self)) != nil { return }
        if (try? single.decode(Int128.self)) != nil { return }
        if (try? single.decode(Double.self)) != nil { return }
        if (try? single.decode(String.self)) != nil { return }
        if (try? single.decode(Data.self)) != nil { return }
        if (try? single.decode(UUID.self)) != nil { return }
        if (try? single.decode(Date.self)) != nil { return }
        if (try? single.decode(Decimal.self)) != nil { return }
        _ = try single.decode(URL.self)
    }
}
