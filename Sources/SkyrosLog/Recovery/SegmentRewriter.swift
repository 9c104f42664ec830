import SkyrosDisk

/// Copies the valid blocks of an open segment, with a new salt.
///
/// The file system reuses the old file's space, so its bytes, those that were cut off included, may
/// appear in the unwritten part of the new file. The new salt keeps them from passing.
struct SegmentRewriter {
    private let segment: OpenSegment
    private let header: SegmentHeader

    init(_ segment: OpenSegment, unsyncedBytesMax: Int) {
        self.segment = segment
        var header = segment.header
        header.salt = segment.nextSalt
        header.unsyncedBytesMax = UInt64(unsyncedBytesMax)
        self.header = header
    }

    /// The content of the new file: the blocks, and one that says that the log is opened on `disk`.
    ///
    /// - Throws: `LogError` if the blocks cannot be read again as they were.
    func content(openedOn disk: any Disk) throws(LogError) -> [UInt8] {
        let bytes = try segment.file.bytes(from: 0, count: segment.scan.endOffset)
        var copy = header.bytes
        bytes.withBytes { copyBlocks(of: $0, to: &copy) }
        // The copy is verified before it replaces the file, which is the only other copy.
        var scan = SegmentScan(beginning: header)
        copy.withBytes { all in
            let blocks = all.slice(header.byteCount, all.count - header.byteCount)
            scan.advance(over: blocks, salt: header.salt)
        }
        guard scan.head == segment.scan.head, scan.endOffset == segment.scan.endOffset else {
            let why = "blocks that were valid before can no longer be read"
            throw LogError(.corrupt, why, segment.name, at: scan.endOffset)
        }
        // The file is synced before it gets its name.
        OpeningPayload(on: disk).appendBlock(
            to: &copy, scan.lastSequence, scan.lastChainHash, durableByteCount: copy.count,
            salt: header.salt)
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
    /// The salt of the next file: the segment's successor, or its rewritten form.
    ///
    /// It is a hash of this salt and the history so far. The first salt is random, so no two files
    /// of a store share one, and a test can repeat them.
    var nextSalt: UInt64 {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: scan.lastSequence)
        bytes.append(littleEndian: scan.lastChainHash.rawValue)
        bytes.append(littleEndian: UInt64(scan.endOffset))
        return XXH64.hash(bytes, seed: header.salt)
    }
}
