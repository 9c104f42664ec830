import Foundation

@testable import Skyros

/// Everything that reads a CBOR item: the reader, untyped values, and `Codable`.
enum CBORFuzzer: Fuzzer {
    static let name = "cbor"
    static let inputBytesMax = 512

    static func seeds() throws -> [[UInt8]] {
        let deepest = [UInt8](repeating: 0x81, count: CBORFormat.nestingMax)
        return [
            try CBOREncoder().encode(FuzzSample.filled(1)),
            try CBOREncoder().encode([FuzzTree.branch([.leaf(1), .branch([]), .leaf(-2)])]),
            try CBOREncoder().encode([Decimal(12.5): [URL(string: "https://a.b/c")]]),
            try CBOREncoder().encode([Decimal(12.5)]),
            try CBOREncoder().encode([UUID(), UUID()]),
            try CBOREncoder().encode([1: 0.5 as Float, 2: 1e30]),
            try FieldValue(json: "[null, true, -1e300, {\"a\": [18446744073709551616]}]").encoded(),
            deepest + [0xF6],
            [0xC4, 0x82, 0xC3, 0x42, 0x01, 0x00, 0x19, 0x30, 0x39],
            [0xC4, 0x82, 0xC2, 0x50, 0x7F] + [UInt8](repeating: 0xFF, count: 15) + [0x01],
        ]
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        try read(bytes)
        try readValue(bytes)
        try decode(FuzzSample.self, bytes)
        try decode(FuzzTree.self, bytes)
        try decode([FuzzTree].self, bytes)
        try decode([Decimal: [URL]].self, bytes)
        try decode([Decimal].self, bytes)
        try decode([Date?].self, bytes)
        try decode([UUID].self, bytes)
        try decode([Int: Float].self, bytes)
        try decode([String: [Int16]].self, bytes)
        try decode(Set<UInt32>.self, bytes)
    }

    // MARK: The reader

    private static func read(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = CBORReader(bytes)
        let whole = try allowing(CBORError.self) { try reader.skipValue() }
        if let whole {
            try require(
                whole.lowerBound == 0 && whole.upperBound <= bytes.count,
                "an item at \(whole) of \(bytes.count) bytes")
        }
        var count = 0
        _ = try allowing(CBORError.self) {
            var fields = try MapEntries(bytes)
            while let field = try fields.next() {
                count += field.range.count
                try require(
                    field.range.upperBound <= bytes.count, "a field at \(field.range)")
            }
        }
        try require(count <= bytes.count, "fields of \(count) bytes in \(bytes.count)")
        _ = try allowing(CBORError.self) { try CBORReader.valueRange(of: "id", inMap: bytes) }
        _ = try allowing(CBORError.self) {
            try IndexKey.make(fields: ["id", "text", "ratio"], record: bytes)
        }
        _ = try allowing(CBORError.self) { try IndexKey.append(bytes, to: ByteString([])) }
        _ = RecordID(ByteString(bytes)).description
    }

    // MARK: Untyped values

    /// A value that can be read can be written, has one encoding, and converts to JSON.
    private static func readValue(_ bytes: UnsafeRawBufferPointer) throws {
        guard let value = try allowing(CBORError.self, { try FieldValue(cbor: bytes) }) else {
            return
        }
        var reader = CBORReader(bytes)
        try reader.skipValue()
        try require(reader.isAtEnd, "skipping ends at \(reader.offset), reading at \(bytes.count)")
        // A reserved tag is carried, never written.
        guard let encoded = try allowing(CBORError.self, { try value.encoded() }) else { return }
        let again = try FieldValue(cbor: encoded)
        try require(again == value, "\(value) became \(again)")
        try require(try again.encoded() == encoded, "\(value) has two encodings")
        // A bignum of 5 bytes, 7 with its heads, becomes an integer of 8 bytes, 9 with its head.
        let bytesMax = bytes.count + bytes.count / 7 * 2
        try require(
            encoded.count <= bytesMax, "\(bytes.count) bytes became \(encoded.count)")
        let json = value.jsonText()
        guard value.isExactInJSON else { return }
        let parsed = try FieldValue(json: json)
        try require(parsed == value, "\(json) became \(parsed)")
    }

    // MARK: Codable

    /// A value that can be decoded can be encoded, and that encoding decodes to the same value.
    private static func decode<T: Codable>(
        _ type: T.Type, _ bytes: UnsafeRawBufferPointer
    ) throws {
        let value = try allowing(DecodingError.self) { try CBORDecoder().decode(type, from: bytes) }
        guard let value else { return }
        let encoded = try CBOREncoder().encode(value)
        let again = try CBORDecoder().decode(type, from: encoded)
        try require(
            try CBOREncoder().encode(again) == encoded, "a \(type) has two encodings: \(encoded)")
        _ = try FieldValue(cbor: encoded)
    }
}
