import Foundation

/// JSON as it may stand in an element of HTML.
enum ScriptText {
    /// The JSON with `<`, `>`, `&`, U+2028 and U+2029 escaped: no end tag, no comment and no line
    /// end of JavaScript is left in it. JSON has these characters in strings only.
    static func escaped(_ json: String) -> [UInt8] {
        var json = json
        return json.withUTF8 { utf8 in
            // A search is much faster than a loop over the bytes.
            mayNeedEscapes(utf8) ? escaped(utf8) : Array(utf8)
        }
    }

    /// The first bytes of what is escaped.
    private static let marks: [UInt8] = [
        UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0xE2,
    ]

    private static func mayNeedEscapes(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = utf8.baseAddress else { return false }
        return marks.contains {
            memchr(start, Int32($0), utf8.count) != nil
        }
    }

    private static func escaped(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count + 16)
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "<"): bytes.append(contentsOf: "\\u003C".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "\\u003E".utf8)
            case UInt8(ascii: "&"): bytes.append(contentsOf: "\\u0026".utf8)
            // The last byte of U+2028 and U+2029: E2 80 A8 and E2 80 A9.
            case 0xA8 where bytes.suffix(2) == [0xE2, 0x80],
                0xA9 where bytes.suffix(2) == [0xE2, 0x80]:
                bytes.removeLast(2)
                bytes.append(contentsOf: (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// A text for HTML outside of scripts.
    static func html(_ text: String) -> String {
        text.replacingScalars(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"])
    }
}
