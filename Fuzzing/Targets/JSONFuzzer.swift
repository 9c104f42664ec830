@testable import Skyros

/// The parsers of JSON and dates.
enum JSONFuzzer: Fuzzer {
    static let name = "json"
    static let inputBytesMax = 256

    static func seeds() throws -> [[UInt8]] {
        [
            #"{"a": [1, -2.5e10, "x\n\u00e4\uD83D\uDE00", null, true, false], "b": {}}"#,
            "18446744073709551616", "-170141183460469231731687303715884105729", "[[[[]]]]",
            "1e308", "2024-02-29T12:00:00.125Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.9Z",
            "-1e+300", "NaN",
        ].map { Array($0.utf8) }
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try parse(text)
        if let date = DateText.date(of: text) {
            let written = DateText.text(of: date)
            try require(
                DateText.date(of: written).map { FieldValue.date($0) } == .date(date),
                "the date \(text) became \(written)")
        }
    }

    private static func parse(_ text: String) throws {
        guard let value = try allowing(JSONError.self, { try FieldValue(json: text) }) else {
            return
        }
        try require(value.isExactInJSON, "\(text) gave a value that JSON cannot represent")
        for isPretty in [false, true] {
            let written = value.jsonText(pretty: isPretty)
            let again = try FieldValue(json: written)
            try require(again == value, "\(text) became \(written)")
        }
        // At the nesting limit, the tag of a bignum would be one level too deep.
        guard let encoded = try allowing(CBORError.self, { try value.encoded() }) else { return }
        try require(try FieldValue(cbor: encoded) == value, "\(text) changed in CBOR")
    }
}
