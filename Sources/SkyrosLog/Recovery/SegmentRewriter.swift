import SkyrosDisk

/// Copies the whole blocks of an open segment under a salt of their own.
///
/// The old file's bytes, those that were cut off among them, go back to the file system and may
/// turn up in the new file where nothing was written yet; the new salt keeps them from passing.
struct SegmentRewriter {
    private let segment: OpenSegment
    /// The header of the new file.
    let header: SegmentHeader

    init(_ segment: OpenSegment, unsyncedBytesMax: Int) {
        self.segment = segment
        var header = segment.header
        header.salt = segment.nextSalt
        header.unsyncedBytesMax = UInt64(unsyncedBytesMax)
        self.header = header
    }

    /// The content of the new file.
    ///
    /// - Throws: `LogError` if the segment cannot be read as it was read before.
    func content() throws(LogError) -> [UInt8] {
        let bytes = try segment.file.bytes(from: 0, count: segment.scan.endOffset)
        var copy = header.bytes
        bytes.withUnsafeBytes { copyBlocks(of: $0, to: &copy) }
        // Checked before it takes the old file's place, which is the only other copy.
        var scan = SegmentScan(beginning: header)
        copy.withUnsafeBytes { all in
            let blocks = all.slice(SegmentHeader.byteCount, all.count - SegmentHeader.byteCount)
            scan.advance(over: blocks, salt: header.salt)
        }
        guard scan.head == segment.scan.head, scan.endOffset == segment.scan.endOffset else {
            let why = "blocks that were whole before can no longer be read"
            throw LogError(.corrupt, why, segment.name, at: scan.endOffset)
        }
        return copy
    }

    private func copyBlocks(of bytes: UnsafeRawBufferPointer, to copy: inout [UInt8]) {
        copy.reserveCapacity(bytes.count)
        let salt = segment.header.salt
        while let block = Block(headerIn: bytes, at: copy.count, salt: salt),
            block.byteCount <= bytes.count - copy.count
        {
            let payload = bytes.slice(
                copy.count + Block.headerByteCount, block.payloadByteCount)
            block.append(to: &copy, payload: payload, salt: header.salt)
        }
    }
}

extension OpenSegment {
    /// The salt of the file that comes after this one in time: its successor's, or that of its
    /// own new form. It follows from the salts before it, of which the first is random, and from
    /// the history so far, so no two files of a store share one, and a test can repeat it.
    var nextSalt: UInt64 {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: scan.lastSequence)
        bytes.append(littleEndian: scan.lastChainHash.rawValue)
        bytes.append(littleEndian: UInt64(scan.endOffset))
        return XXH64.hash(bytes, seed: header.salt)
    }
}
