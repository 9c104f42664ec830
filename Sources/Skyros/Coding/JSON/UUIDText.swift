import Foundation

extension UUID {
    /// The UUID as 36 lowercase characters, in JSON, in SQL and on the command line.
    package var text: String {
        withUnsafeBytes(of: uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var offset = 0
                for (index, byte) in bytes.enumerated() {
                    // A dash comes before the bytes 4, 6, 8 and 10.
                    if index >= 4, index <= 10, index % 2 == 0 {
                        text[offset] = UInt8(ascii: "-")
                        offset += 1
                    }
                    text[offset] = Self.digit(byte >> 4)
                    text[offset + 1] = Self.digit(byte & 0x0F)
                    offset += 2
                }
                return offset
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
    }
}
