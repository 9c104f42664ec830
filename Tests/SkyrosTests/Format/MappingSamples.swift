import Foundation
import TestSupport

/// The values of the table in docs/mapping.md, under the names that they have there.
///
/// Most names are the Swift expression itself; `nil` stands for a field that is not written.
enum MappingSamples {
    static var all: [(name: String, value: any Encodable)] {
        simple + numbers + foundation + collections + types
    }

    private static var simple: [(String, any Encodable)] {
        [
            ("true", true),
            ("false", false),
            ("\"Grüße\"", "Grüße"),
            ("\"\"", ""),
            ("\"a\\u{0}b\"", "a\u{0}b"),
            ("\"a\\n\\\"b\\\"\"", "a\n\"b\""),
        ]
    }

    private static var numbers: [(String, any Encodable)] {
        [
            ("0", 0),
            ("23", 23),
            ("24", 24),
            ("-1", -1),
            ("Int8.min", Int8.min),
            ("Int64.max", Int64.max),
            ("Int64.min", Int64.min),
            ("UInt64.max", UInt64.max),
            ("Int128.max", Int128.max),
            ("Int128.min", Int128.min),
            ("UInt128.max", UInt128.max),
            ("1.0", 1.0),
            ("0.1", 0.1),
            ("0.1 as Float", Float(0.1)),
            ("1e300", 1e300),
            ("-0.0", -0.0),
            ("Double.infinity", Double.infinity),
            ("-Double.infinity", -Double.infinity),
            ("Double.nan", Double.nan),
        ]
    }

    private static var foundation: [(String, any Encodable)] {
        [
            ("Data([0, 255])", Data([0, 255])),
            ("UUID", UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
            ("Date, the reference date", Date(timeIntervalSinceReferenceDate: 0)),
            ("Date, 0.1 s after it", Date(timeIntervalSinceReferenceDate: 0.1)),
            ("Date.distantFuture", Date.distantFuture),
            ("Date, not a number", Date(timeIntervalSinceReferenceDate: .nan)),
            ("URL", URL(string: "https://example.org/a?b=c")),
            ("URL with a base", URL(string: "a", relativeTo: URL(string: "https://example.org/"))),
            ("Decimal, 12.50", Decimal(sign: .plus, exponent: -2, significand: 1250)),
            ("Decimal, -1200", Decimal(-1200)),
            ("Decimal.nan", Decimal.nan),
        ]
    }

    private static var collections: [(String, any Encodable)] {
        [
            ("[Int]()", [Int]()),
            ("[3, 1, 2]", [3, 1, 2]),
            ("[1, nil]", [1, nil]),
            ("[Data([1])]", [Data([1])]),
            ("[\"b\": 1, \"aa\": 2]", ["b": 1, "aa": 2]),
            ("[10: \"x\", 9: \"y\"]", [10: "x", 9: "y"]),
            ("[true: 1, false: 0]", [true: 1, false: 0]),
            ("Set([3, -1, 1000])", Set([3, -1, 1000])),
            ("1..<3", 1..<3),
        ]
    }

    private static var types: [(String, any Encodable)] {
        [
            ("Note(text: \"a\", author: nil)", Note(text: "a", author: nil)),
            ("Note(text: \"a\", author: \"b\")", Note(text: "a", author: "b")),
            ("nil by encodeNil()", Nothing()),
            ("Status.open, a raw value", Status.open),
            ("Shape.point", Shape.point),
            ("Shape.circle(radius: 1.5)", Shape.circle(radius: 1.5)),
            ("Shape.line(1, 2)", Shape.line(1, 2)),
            ("Dog(), by superEncoder()", Dog()),
            ("Cat(), by super.encode(to: encoder)", Cat()),
        ]
    }
}

extension MappingSamples {
    private struct Note: Encodable {
        let text: String
        let author: String?
    }

    private struct Nothing: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    private enum Status: String, Encodable {
        case open
    }

    private enum Shape: Encodable {
        case point
        case circle(radius: Double)
        case line(Int, Int)
    }

    private class Animal: Encodable {
        let legs = 4
    }

    private final class Dog: Animal {
        enum CodingKeys: CodingKey { case name }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("Rex", forKey: .name)
            try super.encode(to: container.superEncoder())
        }
    }

    private final class Cat: Animal {
        enum CodingKeys: CodingKey { case name }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("Tom", forKey: .name)
        }
    }
}
