import SkyrosDisk

/// The start of an open segment, and the content of a sealed segment's first frame: 96 bytes, which
/// a later minor version may extend.
package struct SegmentHeader: Equatable, Sendable {
    /// The layout. Source: docs/log-format.md.
    enum Offset {
        static let magic = 0
        static let version = 8
        /// The oldest version whose readers understand the file.
        static let oldestReader = 10
        /// The size of the header, its extension included.
        static let byteCount = 12
        static let storeID = 16
        static let firstSequence = 32
        static let chainHashBefore = 40
        /// The time of the batch before the first, in microseconds since 1970.
        static let timeBefore = 48
        /// The seed of all block headers in the file.
        static let salt = 56
        static let unsyncedBytesMax = 64
        /// Features that a reader must know, one a bit.
        static let requiredFeatures = 72
        /// Features that a reader may ignore, one a bit.
        static let optionalFeatures = 76
        /// The family of forks that the log belongs to; 0 if it was never forked.
        static let familyID = 80
        /// XXH64 of the bytes before.
        static let headerHash = 88
        static let end = 96
    }

    /// The size of the part that every version has.
    static let fixedByteCount = Offset.end
    /// The size of the largest header, extension included.
    static let byteCountMax = 64 << 10
    static let version: UInt16 = 2
    /// The oldest version that this library reads.
    static let oldestVersion: UInt16 = 2
    static let magic = Array("SKYLOG\r\n".utf8)
    /// The required feature of a floor, and of no segment: the file holds the state that the
    /// batches before have led to. Source: docs/log-format.md.
    static let floorFeature: UInt32 = 1 << 2
    private static let hashByteCount = 8

    package var storeID: StoreID
    package var firstSequence: UInt64
    package var chainHashBefore: ChainHash
    package var timeBefore: Int64
    package var salt: UInt64
    package var unsyncedBytesMax: UInt64
    /// The version of the library that created the segment.
    var writtenVersion = Self.version
    var requiredFeatures: UInt32 = 0
    var optionalFeatures: UInt32 = 0
    var familyID: UInt64 = 0
    /// What a later minor version appended to the fixed part, without its checksum.
    var extensionBytes: [UInt8] = []

    /// The size of the header, its extension included.
    var byteCount: Int { Self.byteCount(extension: extensionBytes.count) }

    private static func byteCount(extension count: Int) -> Int {
        fixedByteCount + (count == 0 ? 0 : count + hashByteCount)
    }

    /// Whether no later version added anything to the segment.
    var isWhollyKnown: Bool {
        writtenVersion <= Self.version && optionalFeatures == 0 && extensionBytes.isEmpty
    }

    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.fixedByteCount)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.copyBytes(from: Self.magic)
            bytes.store(littleEndian: writtenVersion, at: Offset.version)
            bytes.store(littleEndian: Self.version, at: Offset.oldestReader)
            bytes.store(littleEndian: UInt32(byteCount), at: Offset.byteCount)
            bytes[Offset.storeID...].copyBytes(from: storeID.bytes)
            bytes.store(littleEndian: firstSequence, at: Offset.firstSequence)
            bytes.store(littleEndian: chainHashBefore.rawValue, at: Offset.chainHashBefore)
            bytes.store(littleEndian: timeBefore, at: Offset.timeBefore)
            bytes.store(littleEndian: salt, at: Offset.salt)
            bytes.store(littleEndian: unsyncedBytesMax, at: Offset.unsyncedBytesMax)
            bytes.store(littleEndian: requiredFeatures, at: Offset.requiredFeatures)
            bytes.store(littleEndian: optionalFeatures, at: Offset.optionalFeatures)
            bytes.store(littleEndian: familyID, at: Offset.familyID)
            let hashed = UnsafeRawBufferPointer(bytes).slice(0, Offset.headerHash)
            bytes.store(littleEndian: XXH64.hash(hashed), at: Offset.headerHash)
        }
        guard !extensionBytes.isEmpty else { return bytes }
        bytes += extensionBytes
        bytes.append(littleEndian: XXH64.hash(extensionBytes))
        return bytes
    }

    /// The header, and the block with which every process opens a segment.
    func bytes(openedBy payload: OpeningPayload) -> [UInt8] {
        var bytes = bytes
        payload.appendBlock(
            to: &bytes, firstSequence - 1, chainHashBefore, durableByteCount: 0, salt: salt)
        return bytes
    }
}

extension SegmentHeader {
    /// The header of a store's first segment.
    init(beginning storeID: StoreID, salt: UInt64, unsyncedBytesMax: Int) {
        self.init(
            storeID: storeID, firstSequence: 1, chainHashBefore: ChainHash(beginning: storeID),
            timeBefore: 0, salt: salt, unsyncedBytesMax: UInt64(unsyncedBytesMax))
    }

    /// The header of the segment after this one. What a later minor version added to this segment
    /// is not known to hold for the next.
    func successor(
        from firstSequence: UInt64, after chainHash: ChainHash, timeBefore: Int64, salt: UInt64,
        unsyncedBytesMax: Int
    ) -> SegmentHeader {
        SegmentHeader(
            storeID: storeID, firstSequence: firstSequence, chainHashBefore: chainHash,
            timeBefore: timeBefore, salt: salt, unsyncedBytesMax: UInt64(unsyncedBytesMax),
            familyID: familyID)
    }
}
