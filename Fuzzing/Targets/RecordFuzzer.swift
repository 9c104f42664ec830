@testable import Skyros

/// Encoded records: canonical maps, their differences, and merging differences back.
enum RecordFuzzer: Fuzzer {
    static let name = "record"
    static let inputBytesMax = 512

    static func seeds() throws -> [[UInt8]] {
        var other = FuzzSample.filled(1)
        other.text = "dreizehn"
        other.uuid = nil
        let maps = try [FuzzSample.filled(1), other].map { try CBOREncoder().encode($0) }
        let drawn: [UInt8] = [1, 3, 0, 1, 5, 2, 9, 1, 4, 0, 2, 5, 7, 11, 4]
        return [[0] + maps[0].asFuzzString + maps[1], [0, 1, 0, 0xA0, 0xA0], drawn]
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        var input = FuzzInput(bytes)
        if input.flag() {
            let before = try map(&input)
            let after = try map(&input)
            try compare(before, after)
            try compare(after, try map(&input))
        } else {
            let before = input.string()
            try compare(before, input.remainder())
        }
    }

    /// A canonical map with keys from a small set, so that two maps share many keys.
    private static func map(_ input: inout FuzzInput) throws -> [UInt8] {
        var values: NamedValues<FieldValue> = [:]
        for _ in 0..<input.below(40) {
            let byte = input.byte()
            let key = String(repeating: byte & 1 == 0 ? "a" : "b", count: Int(byte >> 3))
            let value = input.byte()
            values[key] = value < 128 ? .integer(Int128(value)) : .text(key)
        }
        return try Fields(values).bytes
    }

    private static func compare(_ old: [UInt8], _ new: [UInt8]) throws {
        let areCanonical =
            try allowing(CBORError.self) { try (Fields(canonical: old), Fields(canonical: new)) }
            != nil
        guard areCanonical else {
            // One of them may still be canonical.
            _ = try allowing(CBORError.self) { try Fields.difference(from: old, to: new) }
            _ = try allowing(CBORError.self) { try Fields.merge(old, before: new, after: old) }
            _ = try allowing(CBORError.self) { try Fields.merge(new, before: new, after: old) }
            return
        }
        guard let (before, after) = try Fields.difference(from: old, to: new) else {
            try require(old == new, "no difference between \(old) and \(new)")
            return
        }
        let merged = try Fields.merge(old, before: before, after: after)
        try require(merged == new, "\(old) with a difference to \(new) became \(merged)")
        let back = try Fields.merge(new, before: after, after: before)
        try require(back == old, "\(new) with a difference to \(old) became \(back)")
        _ = try allowing(CBORError.self) { try Fields.merge(new, before: old, after: new) }
        try read(Fields(canonical: new))
    }

    private static func read(_ fields: Fields) throws {
        for name in fields.names.prefix(4) {
            _ = try allowing(CBORError.self) { try fields.value(of: name) }
            var changed = fields
            _ = try allowing(CBORError.self) { try changed.set(name, to: nil) }
        }
        _ = try allowing(CBORError.self) { try fields.readValues() }
        _ = try allowing(CBORError.self) {
            try fields.bytes.withUnsafeBytes { try IndexKey.make(fields: ["a"], record: $0) }
        }
    }
}
