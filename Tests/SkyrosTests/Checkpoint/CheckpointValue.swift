import Foundation

@testable import Skyros

/// Encoded values and records for the checkpoint's tests.
enum CheckpointValue {
    static func encode(_ body: (inout CBORWriter) -> Void) -> [UInt8] {
        var writer = CBORWriter()
        body(&writer)
        return writer.array
    }

    static let null = encode { $0.appendNull() }

    static func bool(_ value: Bool) -> [UInt8] { encode { $0.append(value) } }
    static func integer(_ value: Int128) -> [UInt8] { encode { $0.append(value) } }
    static func real(_ value: Double) -> [UInt8] { encode { $0.append(value) } }
    static func text(_ value: String) -> [UInt8] { encode { $0.append(text: value) } }
    static func bytes(_ value: [UInt8]) -> [UInt8] { encode { $0.append(bytes: value) } }
    static func uuid(_ value: UUID) -> [UInt8] { encode { $0.append(value) } }

    static func date(_ seconds: Double) -> [UInt8] {
        encode { $0.append(Date(timeIntervalSinceReferenceDate: seconds)) }
    }

    static func tagged(_ tag: UInt64, _ value: [UInt8]) -> [UInt8] {
        encode { writer in
            writer.appendTag(tag)
            writer.append(raw: value)
        }
    }

    static func url(_ value: String) -> [UInt8] { tagged(CBORFormat.Tag.url, text(value)) }

    static func decimal(_ exponent: Int64, _ mantissa: Int128) -> [UInt8] {
        tagged(CBORFormat.Tag.decimal, array([integer(Int128(exponent)), integer(mantissa)]))
    }

    static func array(_ values: [[UInt8]]) -> [UInt8] {
        encode { writer in
            writer.appendArrayHead(values.count)
            for value in values { writer.append(raw: value) }
        }
    }

    /// A canonical map; of fields with the same name, as bytes, the last wins.
    static func map(_ fields: [(String, [UInt8])]) -> [UInt8] {
        var byKey: [[UInt8]: [UInt8]] = [:]
        for (name, value) in fields { byKey[text(name)] = value }
        let sorted = byKey.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return encode { writer in
            writer.appendMapHead(sorted.count)
            for (key, value) in sorted {
                writer.append(raw: key)
                writer.append(raw: value)
            }
        }
    }

    /// Values of every kind, and those that no column of any kind gives back.
    static let all: [[UInt8]] =
        scalars + [
            array([]), map([]), array([integer(1), text("a\"\\\u{1}\n\0κ"), null, bool(true)]),
            map([("a", array([real(1.5), real(-0.0), real(1e300)])), ("bb", map([]))]),
            map([("", integer(Int128(UInt64.max))), ("x", integer(-Int128(UInt64.max) - 1))]),
            array([real(.nan)]), array([bytes([1])]), array([uuid(UUID(uuid: id(9)))]),
            array([date(1)]), map([("tag", integer(4)), ("value", null)]),
            tagged(999, text("a")), tagged(999, array([])),
            array((0..<30).map { integer($0) }),
            map((0..<300).map { ("f\($0)", text("v")) }),
        ]

    private static let scalars: [[UInt8]] =
        [
            null, bool(true), bool(false),
            text(""), text("a"), text("Ünï κ 🌊"), text("a\0b"), text("\0"), text("12"),
            text("1.5e3"), text("null"), text("'\"; DROP TABLE a"),
            text(String(repeating: "long", count: 2_000)),
            bytes([]), bytes([0]), bytes([UInt8](0...255)), bytes(Array("12".utf8)),
            uuid(UUID(uuid: id(0))), uuid(UUID(uuid: id(255))), uuid(UUID(uuid: id(0xA5))),
            url("https://example.org/?q=1"), url(""), url("a\0"),
        ] + numbers + decimals

    private static let numbers: [[UInt8]] =
        [
            0, 1, -1, 23, 24, 255, 256, Int128(Int64.max), Int128(Int64.min),
            Int128(Int64.max) + 1, Int128(Int64.min) - 1, Int128(UInt64.max),
            Int128(UInt64.max) + 1, -Int128(UInt64.max) - 2, .max, .min,
        ].map { integer($0) }
        + [
            0.0, -0.0, 1.0, 1.5, 0.1, -2.5e-8, 1e300, 5e300, .infinity, -.infinity, .nan,
            .leastNonzeroMagnitude, .greatestFiniteMagnitude, 9_007_199_254_740_992,
            140_737_488_355_328, 65_504, 65_505,
        ].flatMap { [real($0), date($0)] }

    private static let decimals: [[UInt8]] = [
        decimal(0, 0), decimal(-2, 1234), decimal(2, 12), decimal(-5, -1), decimal(-1, -15),
        decimal(-40, 7), decimal(100, .max), decimal(-128, 3), decimal(127, 9),
        decimal(0, .min), decimal(5_000, 1), decimal(Int64.min, 1), decimal(0, 10),
        decimal(-1, Int128(UInt64.max) * 1_000_000_000_000),
    ]

    private static func id(_ byte: UInt8) -> uuid_t {
        let b = byte
        return (b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b)
    }
}
