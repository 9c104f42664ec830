import Testing

@testable import SkyrosLog

/// A frame that states more content than it can hold.
@Suite struct `A hostile frame` {
    /// One empty block, and a header that states the largest content.
    /// https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
    private static let boastful: [UInt8] = [
        0x28, 0xB5, 0x2F, 0xFD,  // the magic number
        0xA0, 0, 0, 0, 0x40,  // the content's size in four bytes: 1 GiB
        0x01, 0, 0,  // a last block of no bytes
    ]

    @Test func `is refused before memory is allocated for its stated size (F35)`() throws {
        let failure = #expect(throws: Zstd.Failure.self) {
            try Self.boastful.withUnsafeBytes { try Zstd.content(of: $0, byteCountMax: 1 << 30) }
        }
        // The library would refuse it too, after allocating a gigabyte.
        #expect(failure == .sizeMismatch(expected: 3 * 128 << 10, stated: 1 << 30))
    }

    @Test func `is not one that repeats a byte (F35)`() throws {
        let content = [UInt8](repeating: 7, count: 3 << 20)
        let compressor = try #require(Zstd.Compressor())
        let frame = try compressor.frame(content)
        #expect(frame.count < 400)
        let found = try frame.withUnsafeBytes { try Zstd.content(of: $0, byteCountMax: 4 << 20) }
        #expect(found == content)
    }
}
