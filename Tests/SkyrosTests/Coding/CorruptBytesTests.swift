import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite(.long) struct `Corrupt CBOR` {
    /// Samples that between them have every kind of item.
    static func samples() throws -> [[UInt8]] {
        var random = RandomSource(seed: 7)
        var samples = try (0..<8).map { _ in try FieldValue.map(random.fields()).encoded() }
        samples.append(try CBOREncoder().encode(Sample.filled))
        samples.append(try CBOREncoder().encode([Decimal(12.5): [URL(string: "https://a.b/c")]]))
        return samples
    }

    /// Uses every reader there is. What they return does not matter, only that they return.
    private func readInEveryWay(_ bytes: [UInt8]) {
        _ = try? FieldValue(cbor: bytes)
        _ = try? CBORDecoder().decode(Anything.self, from: bytes)
        _ = try? CBORDecoder().decode(Sample.self, from: bytes)
        _ = try? CBORDecoder().decode([Decimal: [URL]].self, from: bytes)
        _ = try? CBORDecoder().decode([Decimal].self, from: bytes)
        _ = try? Fields(canonical: bytes)
        _ = try? Fields.difference(from: bytes, to: [0xA0])
        _ = try? Fields.merge(bytes, before: bytes, after: [0xA0])
        _ = RecordID(ByteString(bytes)).description
        bytes.withUnsafeBytes { buffer in
            _ = try? IndexKey.make(fields: ["id", "field1", "text"], record: buffer)
            _ = try? IndexKey.append(buffer, to: ByteString([]))
            _ = try? CBORReader.valueRange(of: "id", inMap: buffer)
        }
        // A value that was read and has JSON must have it without a trap, too.
        if let value = try? FieldValue(cbor: bytes) { _ = value.jsonText() }
    }

    @Test func `is refused wherever it is cut off`() throws {
        for sample in try Self.samples() {
            for count in 0..<sample.count {
                let cut = Array(sample.prefix(count))
                readInEveryWay(cut)
                #expect(throws: CBORError.self) { try FieldValue(cbor: cut) }
                #expect(throws: DecodingError.self) {
                    try CBORDecoder().decode(Anything.self, from: cut)
                }
            }
        }
    }

    @Test func `with one byte changed decodes or throws`() throws {
        for sample in try Self.samples() {
            var changed = sample
            for index in stride(from: 0, to: sample.count, by: Extent.pick(brief: 7, quick: 1)) {
                for byte: UInt8 in [
                    0x00, 0x1B, 0x5B, 0x7B, 0x80, 0x9B, 0xBB, 0xC2, 0xDB, 0xFB, 0xFF,
                ] {
                    changed[index] = byte
                    readInEveryWay(changed)
                }
                for bit in 0..<8 {
                    changed[index] = sample[index] ^ (1 << bit)
                    readInEveryWay(changed)
                }
                changed[index] = sample[index]
            }
        }
    }

    @Test func `of random bytes decodes or throws`() {
        var random = RandomSource(seed: 99)
        for _ in 0..<Extent.pick(brief: 2_000, quick: 20_000) {
            let noise = (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            readInEveryWay(noise)
        }
    }

    @Test func `with bytes after it is refused`() throws {
        for sample in try Self.samples() {
            #expect(throws: CBORError.self) { try FieldValue(cbor: sample + [0xF6]) }
            #expect(throws: DecodingError.self) {
                try CBORDecoder().decode(Anything.self, from: sample + [0xF6])
            }
        }
        #expect(throws: DecodingError.self) {
            try CBORDecoder().decode([Int].self, from: [0x81, 0x01, 0x01])
        }
        #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Int.self, from: [0x01, 0x01])
        }
    }

    @Test func `names the item that is wrong`() throws {
        let value: FieldValue = ["a": 1, "list": [["name": "x"], ["name": 7]]]
        let bytes = try value.encoded()
        struct Item: Decodable { let name: String }
        struct Owner: Decodable { let list: [Item] }
        let error = #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Owner.self, from: bytes)
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["list", "Index 1", "name"])
        #expect(context.codingPath[1].intValue == 1)
    }
}

/// A type with a field of every kind.
struct Sample: Codable, Equatable {
    enum Kind: String, Codable { case large, small }
    enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double)
        case box(Int, Int)
    }

    var id = UUID()
    var text = ""
    var int = 0
    var double = 0.0
    var bool = false
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var data = Data()
    var kind = Kind.large
    var shapes: [Shape] = []
    var list: [Int] = []
    var table: [String: [Int]] = [:]
    var optional: String?
    var set: Set<String> = []

    static let filled = Sample(
        id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), text: "Nonna é",
        int: -77_777, double: 0.1, bool: true, date: Date(timeIntervalSinceReferenceDate: 1.25e8),
        data: Data([0, 1, 255]), kind: .small, shapes: [.point, .circle(radius: 2), .box(1, 2)],
        list: [1, 1000, -1], table: ["a": [1], "b": []], optional: "x", set: ["p", "q", "rr"])
}
