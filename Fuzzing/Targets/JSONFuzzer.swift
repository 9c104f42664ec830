@testable import Skyros

/// JSON, and the id on a command line.
enum JSONFuzzer: Fuzzer {
    static let name = "json"
    static let inputBytesMax = 256

    static func seeds() throws -> [[UInt8]] {
        [
            #"{"a": [1, -2.5e10, "x\n\u00e4\uD83D\uDE00", null, true, false], "b": {}}"#,
            "18446744073709551616", "-170141183460469231731687303715884105729", "[[[[]]]]",
            "1e308", "-1e+300", "NaN",
        ].map { Array($0.utf8) }
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let value = try allowing(JSONError.self, { try FieldValue(json: text) }) else {
            return
        }
        try require(value.isExactInJSON, "\(text) gave a value that JSON does not have")
        for isPretty in [false, true] {
            let written = value.jsonText(pretty: isPretty)
            let again = try FieldValue(json: written)
            try require(again == value, "\(text) became \(written)")
        }
        // A value of the deepest level may have no room for the tag of a bignum.
        guard let encoded = try allowing(CBORError.self, { try value.encoded() }) else { return }
        try require(try FieldValue(cbor: encoded) == value, "\(text) is another value as CBOR")
    }
}
