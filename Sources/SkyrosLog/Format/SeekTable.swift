/// The seek table of zstd's seekable format: the sizes of all frames, at the end of the file.
///
/// It is a skippable frame, whose content is one entry a frame, then a footer.
/// Skippable frames have entries too, without content, or other readers refuse the file.
///
/// Source: "Zstandard Seekable Format", version 0.1.0, in zstd's contrib directory.
struct SeekTable: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var compressedByteCount: UInt32
        var contentByteCount: UInt32
        var contentHash: UInt32
    }

    enum EntryOffset {
        static let compressedByteCount = 0
        static let contentByteCount = 4
        /// The low half of the content's XXH64.
        static let contentHash = 8
        static let end = 12
    }

    enum FooterOffset {
        static let entryCount = 0
        static let descriptor = 4
        static let magic = 5
        static let end = 9
    }

    static let frameMagic: UInt32 = 0x184D_2A5E
    static let footerMagic: UInt32 = 0x8F92_EAB1
    static let entryByteCount = EntryOffset.end
    static let footerByteCount = FooterOffset.end
    /// Entries have a contentHash.
    private static let descriptor: UInt8 = 0x80

    var entries: [Entry] = []

    static func byteCount(entries: Int) -> Int {
        SkippableFrame.headerByteCount + entries * entryByteCount + footerByteCount
    }

    /// Adds the entry of a frame.
    mutating func append(frame: [UInt8], content: [UInt8]) {
        entries.append(
            Entry(
                compressedByteCount: UInt32(frame.count),
                contentByteCount: UInt32(content.count),
                contentHash: UInt32(truncatingIfNeeded: XXH64.hash(content))))
    }

    var bytes: [UInt8] {
        var table: [UInt8] = []
        for entry in entries {
            table.append(littleEndian: entry.compressedByteCount)
            table.append(littleEndian: entry.contentByteCount)
            table.append(littleEndian: entry.contentHash)
        }
        table.append(littleEndian: UInt32(entries.count))
        table.append(Self.descriptor)
        table.append(littleEndian: Self.footerMagic)
        return SkippableFrame.bytes(magic: Self.frameMagic, content: table)
    }

    /// The number of entries, from the last bytes of a file; nil if they are not a footer.
    static func entryCount(footer: UnsafeRawBufferPointer) -> Int? {
        guard footer.count == footerByteCount, footer[FooterOffset.descriptor] == descriptor,
            footer.integer(at: FooterOffset.magic) == footerMagic
        else { return nil }
        return Int(footer.integer(at: FooterOffset.entryCount, as: UInt32.self))
    }

    /// Reads a whole table; nil if the bytes are not one.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let content = SkippableFrame.content(of: bytes, magic: Self.frameMagic),
            content.count >= Self.footerByteCount
        else { return nil }
        let footerStart = content.count - Self.footerByteCount
        guard
            let count = Self.entryCount(footer: content.slice(footerStart, Self.footerByteCount)),
            bytes.count == Self.byteCount(entries: count)
        else { return nil }
        entries = (0..<count).map { index in
            let entry = content.slice(index * Self.entryByteCount, Self.entryByteCount)
            return Entry(
                compressedByteCount: entry.integer(at: EntryOffset.compressedByteCount),
                contentByteCount: entry.integer(at: EntryOffset.contentByteCount),
                contentHash: entry.integer(at: EntryOffset.contentHash))
        }
    }

    init() {}
}

/// A zstd frame that decompressors skip (RFC 8878, section 3.1.2): magic, size, content.
enum SkippableFrame {
    /// The magics that this format uses or reserves: header, index, box, tree, free space.
    static let ownMagics: ClosedRange<UInt32> = 0x184D_2A50...0x184D_2A54
    enum Offset {
        static let magic = 0
        static let contentByteCount = 4
        static let content = 8
    }

    static let headerByteCount = Offset.content

    static func bytes(magic: UInt32, content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: UInt32(content.count))
        return bytes + content
    }

    /// The content, if `bytes` are exactly one skippable frame with this magic.
    static func content(
        of bytes: UnsafeRawBufferPointer, magic: UInt32
    ) -> UnsafeRawBufferPointer? {
        guard bytes.count >= headerByteCount, bytes.integer(at: Offset.magic) == magic,
            contentByteCount(of: bytes) == bytes.count - headerByteCount
        else { return nil }
        return bytes.slice(Offset.content, bytes.count - headerByteCount)
    }

    /// The size of the skippable frame at the start of `bytes`; nil if it is not complete.
    static func byteCount(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerByteCount else { return nil }
        let count = headerByteCount + contentByteCount(of: bytes)
        return count <= bytes.count ? count : nil
    }

    /// What the header at the start of `bytes`, which must be complete, says.
    static func contentByteCount(of bytes: UnsafeRawBufferPointer) -> Int {
        Int(bytes.integer(at: Offset.contentByteCount, as: UInt32.self))
    }
}
