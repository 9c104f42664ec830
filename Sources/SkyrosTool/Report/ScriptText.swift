/// JSON as it may stand in an element of HTML.
enum ScriptText {
    /// The JSON with `<`, `>`, `&`, U+2028 and U+2029 escaped: no end tag, no comment and no line
    /// end of JavaScript is left in it. JSON has these characters in strings only.
    static func escaped(_ json: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.utf8.count)
        for byte in json.utf8 {
            switch byte {
            case UInt8(ascii: "<"): bytes.append(contentsOf: "\\u003C".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "\\u003E".utf8)
            case UInt8(ascii: "&"): bytes.append(contentsOf: "\\u0026".utf8)
            // The last byte of U+2028 and U+2029: E2 80 A8 and E2 80 A9.
            case 0xA8, 0xA9:
                guard bytes.suffix(2) == [0xE2, 0x80] else {
                    bytes.append(byte)
                    continue
                }
                bytes.removeLast(2)
                bytes.append(contentsOf: (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// A text for HTML outside of scripts.
    static func html(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
