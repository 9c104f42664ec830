import SkyrosDisk

extension SegmentHeader {
    /// The size that the header at the start of `bytes` states; nil if no header may have it.
    ///
    /// Sizes are multiples of a block's alignment, and an extension has at least one word.
    static func statedByteCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= fixedByteCount else { return nil }
        let count = Int(bytes.integer(at: Offset.byteCount, as: UInt32.self))
        let least = fixedByteCount + 2 * Block.alignment
        let isPossible = count == fixedByteCount || (least...byteCountMax).contains(count)
        return isPossible && count % Block.alignment == 0 ? count : nil
    }

    /// The bytes of the header at `offset` of a file, fewer if the file ends before.
    static func bytes(of file: any DiskFile, at offset: Int = 0) throws(LogError) -> [UInt8] {
        let fixed = try file.bytes(from: offset, count: fixedByteCount)
        guard let count = fixed.withBytes({ statedByteCount($0) }), count > fixedByteCount else {
            return fixed
        }
        return try file.bytes(from: offset, count: count)
    }

    /// Reads the header at the start of a segment's bytes.
    ///
    /// - Throws: `LogError` with `.unsupportedFormat` if a newer version wrote the file, with
    ///   `.corrupt` if the header is damaged or another segment's.
    init(_ bytes: [UInt8], in segment: SegmentName) throws(LogError) {
        self = try bytes.withBytes { bytes throws(LogError) in
            try SegmentHeader(misnamed: bytes, in: segment)
        }
        guard firstSequence == segment.firstSequence else {
            let why = "the segment's name and its header disagree about the first sequence"
            throw LogError(.corrupt, why, segment, at: Offset.firstSequence)
        }
    }

    /// Reads a header whose first sequence need not be that of the file's name.
    init(misnamed bytes: UnsafeRawBufferPointer, in segment: SegmentName) throws(LogError) {
        guard bytes.count >= Self.fixedByteCount, bytes.starts(with: Self.magic) else {
            throw LogError(.corrupt, "the segment does not start with a header", segment, at: 0)
        }
        guard XXH64.hash(bytes.slice(0, Offset.headerHash)) == bytes.integer(at: Offset.headerHash)
        else {
            throw LogError(.corrupt, "the checksum of the segment's header fails", segment, at: 0)
        }
        try Self.checkFormat(bytes, segment)
        try Self.checkExtension(bytes, segment)
        guard let header = SegmentHeader(unchecked: bytes) else {
            throw LogError(
                .corrupt, "the segment's header has no store ID", segment, at: Offset.storeID)
        }
        self = header
        guard firstSequence > 0 else {
            let why = "the segment starts at sequence 0; the first sequence is 1"
            throw LogError(.corrupt, why, segment, at: Offset.firstSequence)
        }
    }

    /// Throws unless this library reads what the header announces. Its checksum is right, so the
    /// only damage found here is that the file has the name of another one.
    private static func checkFormat(
        _ bytes: UnsafeRawBufferPointer, _ segment: SegmentName
    ) throws(LogError) {
        let oldestReader: UInt16 = bytes.integer(at: Offset.oldestReader)
        let written: UInt16 = bytes.integer(at: Offset.version)
        let features: UInt32 = bytes.integer(at: Offset.requiredFeatures)
        if oldestReader > version {
            let why = "the segment needs a reader of format \(oldestReader); use a newer version"
            throw LogError(.unsupportedFormat, why, segment, at: Offset.version)
        }
        if written < oldestVersion {
            let why = "the segment has format \(written), which only older versions read"
            throw LogError(.unsupportedFormat, why, segment, at: Offset.version)
        }
        let unknownFeatures = features & ~floorFeature
        if unknownFeatures != 0 {
            let names = UInt64(unknownFeatures).digits(8, radix: 16)
            let why = "the segment needs features 0x\(names) of a reader; use a newer version"
            throw LogError(.unsupportedFormat, why, segment, at: Offset.requiredFeatures)
        }
        if (features & floorFeature != 0) != (segment.kind == .floor) {
            let why = "the file is of another kind than its name says"
            throw LogError(.corrupt, why, segment, at: Offset.requiredFeatures)
        }
        if statedByteCount(bytes) == nil {
            let why = "the segment's header has a size that this version does not know"
            throw LogError(.unsupportedFormat, why, segment, at: Offset.byteCount)
        }
    }

    private static func checkExtension(
        _ bytes: UnsafeRawBufferPointer, _ segment: SegmentName
    ) throws(LogError) {
        guard let count = statedByteCount(bytes), count > fixedByteCount else { return }
        let hash = count - Block.alignment
        guard bytes.count >= count,
            XXH64.hash(bytes.slice(fixedByteCount, hash - fixedByteCount))
                == bytes.integer(at: hash)
        else {
            let why = "the checksum of the header's extension fails"
            throw LogError(.corrupt, why, segment, at: fixedByteCount)
        }
    }

    /// Reads the fields without checking them; nil if there are too few bytes.
    init?(unchecked bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.fixedByteCount,
            let storeID = StoreID([UInt8](bytes.slice(Offset.storeID, StoreID.byteCount)))
        else { return nil }
        self.storeID = storeID
        firstSequence = bytes.integer(at: Offset.firstSequence)
        chainHashBefore = ChainHash(rawValue: bytes.integer(at: Offset.chainHashBefore))
        timeBefore = bytes.integer(at: Offset.timeBefore)
        salt = bytes.integer(at: Offset.salt)
        unsyncedBytesMax = bytes.integer(at: Offset.unsyncedBytesMax)
        writtenVersion = bytes.integer(at: Offset.version)
        requiredFeatures = bytes.integer(at: Offset.requiredFeatures)
        optionalFeatures = bytes.integer(at: Offset.optionalFeatures)
        familyID = bytes.integer(at: Offset.familyID)
        if let count = Self.statedByteCount(bytes), count > Self.fixedByteCount,
            count <= bytes.count
        {
            extensionBytes = [UInt8](
                bytes.slice(Self.fixedByteCount, count - Self.fixedByteCount - Block.alignment))
        }
    }
}
