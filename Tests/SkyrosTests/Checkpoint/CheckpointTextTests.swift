import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `Text in a checkpoint's columns` {
    private func append(
        _ text: String, _ body: (UnsafeRawBufferPointer, inout CBORWriter) -> Bool
    ) -> [UInt8]? {
        var writer = CBORWriter()
        var text = text
        let isRead = text.withUTF8 { body(UnsafeRawBufferPointer($0), &writer) }
        return isRead ? writer.array : nil
    }

    @Test(
        arguments: [
            ("1.5", [0xC4, 0x82, 0x20, 0x0F]), ("0", [0xC4, 0x82, 0, 0]),
            ("-0.01", [0xC4, 0x82, 0x21, 0x20]),
            ("1200", [0xC4, 0x82, 0x02, 0x0C]), ("10.50", [0xC4, 0x82, 0x20, 0x18, 0x69]),
        ] as [(String, [UInt8])])
    func `is a decimal's digits`(text: String, expected: [UInt8]) {
        #expect(append(text) { DecimalText.append($0, to: &$1) } == expected)
    }

    @Test(arguments: [
        "", "-", ".", ".5", "1..2", "1.2.3", "1e5", "+1", " 1", "1 ", "--1", "0x1", "१",
        String(repeating: "9", count: 40), String(repeating: "1", count: 400),
    ])
    func `is no decimal`(text: String) {
        #expect(append(text) { DecimalText.append($0, to: &$1) } == nil)
    }

    @Test func `is a UUID's 36 characters, and no others`() throws {
        var seed = RandomSource(seed: 1)
        for _ in 0..<200 {
            let words = (seed.next(), seed.next())
            let uuid = withUnsafeBytes(of: words) { UUID(uuid: $0.load(as: uuid_t.self)) }
            var text = [UInt8](repeating: 0, count: UUIDText.count)
            withUnsafeBytes(of: words) { source in
                text.withUnsafeMutableBytes { UUIDText.write(source, to: $0) }
            }
            #expect(String(decoding: text, as: UTF8.self) == uuid.uuidString.lowercased())
            let read = text.withUnsafeBytes { UUIDText.read($0) }
            #expect(read?.0 == words.0 && read?.1 == words.1)
            let index = Int.random(in: text.indices, using: &seed)
            text[index] = text[index] == UInt8(ascii: "-") ? 0x30 : UInt8(ascii: "G")
            #expect(text.withUnsafeBytes { UUIDText.read($0) } == nil)
        }
    }

    @Test(arguments: [
        "", " ", "nul", "[", "[1", "[1,]", "[,1]", "[1 ]", "{", "{}x", "{\"a\"}", "{\"a\":}",
        "{1:2}",
        "{\"b\":1,\"a\":2}", "{\"a\":1,\"a\":2}", "{\"aa\":1,\"b\":2}", "[\"\\x\"]",
        "[\"\\u0041\"]",
        "[\"\\u00\"]", "[\"a]", "[\"\n\"]", "-", "1e999", "99999999999999999999", "1-2", "0x1",
        "-99999999999999999999", "[\"\\\"]", String(repeating: "[", count: 5_000), "1.5.5",
        "truefalse",
    ])
    func `is no JSON of ours and never read as if`(text: String) {
        #expect(append(text) { JSONColumn.append(json: $0, to: &$1) } == nil)
    }

    @Test func `is read or refused, but never trusted, after any change`() throws {
        let value = CheckpointValue.map([
            ("a", CheckpointValue.array([CheckpointValue.real(-1.5e-9), CheckpointValue.null])),
            ("bcd", CheckpointValue.map([("\"\u{1}κ", CheckpointValue.integer(-70_000))])),
        ])
        var json = CBORWriter()
        #expect(try value.withUnsafeBytes { try JSONColumn.append($0, to: &json) })
        let text = json.array
        for index in text.indices {
            for mask in 1...255 as ClosedRange<UInt8> {
                var changed = text
                changed[index] ^= mask
                var writer = CBORWriter()
                let isRead = changed.withUnsafeBytes { JSONColumn.append(json: $0, to: &writer) }
                guard isRead else { continue }
                try writer.withUnsafeBytes { bytes in
                    var reader = CBORReader(bytes)
                    try reader.skipValue()
                    try reader.finish()
                }
            }
        }
    }

    @Test func `is plain when it is UTF-8 without NUL, wherever the odd byte stands`() {
        for count in 0..<40 {
            var bytes = [UInt8](repeating: 0x61, count: count)
            #expect(bytes.withUnsafeBytes { SQLiteText.isPlain($0) })
            for index in 0..<count {
                bytes[index] = 0
                #expect(!bytes.withUnsafeBytes { SQLiteText.isPlain($0) })
                bytes[index] = 0xFF
                #expect(!bytes.withUnsafeBytes { SQLiteText.isPlain($0) })
                bytes[index] = 0x61
            }
        }
        #expect(Array("κύμα 🌊 and more".utf8).withUnsafeBytes { SQLiteText.isPlain($0) })
    }
}
