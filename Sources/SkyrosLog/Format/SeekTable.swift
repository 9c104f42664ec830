/// The seek table of zstd's seekable format: the sizes of all frames, at the end of the file.
///
///     skippable frame 0x184D2A5E, size
///     for each frame: compressed size, size of the content, low half of the content's XXH64
///     number of frames, descriptor 0x80 (checksums are present), 0x8F92EAB1
///
/// Source: "Zstandard Seekable Format", version 0.1.0, in zstd's contrib directory. Skippable
/// frames of our own have entries too, with no content, or other readers refuse the file.
struct SeekTable: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var compressedByteCount: UInt32
        var contentByteCount: UInt32
        var contentCheck: UInt32
    }

    static let frameMagic: UInt32 = 0x184D_2A5E
    static let footerMagic: UInt32 = 0x8F92_EAB1
    static let footerByteCount = 9
    static let entryByteCount = 12
    private static let descriptor: UInt8 = 0x80

    var entries: [Entry] = []

    static func byteCount(entries: Int) -> Int {
        SkippableFrame.headerByteCount + entries * entryByteCount + footerByteCount
    }

    /// Notes a frame with content.
    mutating func append(frame: [UInt8], content: [UInt8]) {
        entries.append(
            Entry(
                compressedByteCount: UInt32(frame.count),
                contentByteCount: UInt32(content.count),
                contentCheck: UInt32(truncatingIfNeeded: XXH64.hash(content))))
    }

    var bytes: [UInt8] {
        var table: [UInt8] = []
        for entry in entries {
            table.append(littleEndian: entry.compressedByteCount)
            table.append(littleEndian: entry.contentByteCount)
            table.append(littleEndian: entry.contentCheck)
        }
        table.append(littleEndian: UInt32(entries.count))
        table.append(Self.descriptor)
        table.append(littleEndian: Self.footerMagic)
        return SkippableFrame.bytes(magic: Self.frameMagic, content: table)
    }

    /// The number of frames, from the last bytes of a file; nil if they are no footer.
    static func entryCount(footer: UnsafeRawBufferPointer) -> Int? {
        guard footer.count == footerByteCount, footer[4] == descriptor,
            footer.integer(at: 5, as: UInt32.self) == footerMagic
        else { return nil }
        return Int(footer.integer(at: 0, as: UInt32.self))
    }

    /// Reads a whole table; nil if the bytes are none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount(entries: 0),
            let count = Self.entryCount(footer: bytes.slice(bytes.count - 9, 9)),
            bytes.count == Self.byteCount(entries: count),
            bytes.integer(at: 0, as: UInt32.self) == Self.frameMagic,
            Int(bytes.integer(at: 4, as: UInt32.self)) == bytes.count - 8
        else { return nil }
        entries = (0..<count).map { index in
            let offset = SkippableFrame.headerByteCount + index * Self.entryByteCount
            return Entry(
                compressedByteCount: bytes.integer(at: offset),
                contentByteCount: bytes.integer(at: offset + 4),
                contentCheck: bytes.integer(at: offset + 8))
        }
    }

    init() {}
}

/// A zstd frame that decompressors skip (RFC 8878, section 3.1.2).
enum SkippableFrame {
    static let headerByteCount = 8

    static func bytes(magic: UInt32, content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: UInt32(content.count))
        return bytes + content
    }

    /// The content of the skippable frame that `bytes` are; nil if they are none.
    static func content(
        of bytes: UnsafeRawBufferPointer, magic: UInt32
    ) -> UnsafeRawBufferPointer? {
        guard bytes.count >= headerByteCount, bytes.integer(at: 0, as: UInt32.self) == magic,
            Int(bytes.integer(at: 4, as: UInt32.self)) == bytes.count - headerByteCount
        else { return nil }
        return bytes.slice(headerByteCount, bytes.count - headerByteCount)
    }
}
