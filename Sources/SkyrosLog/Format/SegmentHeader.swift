/// The first 96 bytes of an open segment, and the content of a sealed segment's first frame.
package struct SegmentHeader: Equatable, Sendable {
    /// The layout. Source: docs/log-format.md.
    enum Offset {
        static let magic = 0
        static let version = 8
        /// The oldest version whose readers understand the file.
        static let oldestReader = 10
        static let byteCount = 12
        static let storeID = 16
        static let firstSequence = 32
        static let chainHashBefore = 40
        /// The time of the batch before the first, in microseconds since 1970.
        static let timeBefore = 48
        /// The seed of all block headers in the file.
        static let salt = 56
        static let unsyncedBytesMax = 64
        static let reserved = 72
        /// XXH64 of the bytes before.
        static let headerHash = 88
        static let end = 96
    }

    static let byteCount = Offset.end
    static let version: UInt16 = 1
    static let magic = Array("SKYLOG\r\n".utf8)

    package var storeID: StoreID
    package var firstSequence: UInt64
    package var chainHashBefore: ChainHash
    package var timeBefore: Int64
    package var salt: UInt64
    package var unsyncedBytesMax: UInt64

    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.copyBytes(from: Self.magic)
            bytes.store(littleEndian: Self.version, at: Offset.version)
            bytes.store(littleEndian: Self.version, at: Offset.oldestReader)
            bytes.store(littleEndian: UInt32(Self.byteCount), at: Offset.byteCount)
            bytes[Offset.storeID...].copyBytes(from: storeID.bytes)
            bytes.store(littleEndian: firstSequence, at: Offset.firstSequence)
            bytes.store(littleEndian: chainHashBefore.rawValue, at: Offset.chainHashBefore)
            bytes.store(littleEndian: timeBefore, at: Offset.timeBefore)
            bytes.store(littleEndian: salt, at: Offset.salt)
            bytes.store(littleEndian: unsyncedBytesMax, at: Offset.unsyncedBytesMax)
            let hashed = UnsafeRawBufferPointer(bytes).slice(0, Offset.headerHash)
            bytes.store(littleEndian: XXH64.hash(hashed), at: Offset.headerHash)
        }
        return bytes
    }

    /// The header, and the block with which every process opens a segment.
    func bytes(openedIn bootID: String) -> [UInt8] {
        var bytes = bytes
        Array(bootID.utf8).withBytes { payload in
            let opening = Block(
                .opening, payload: payload, payloadHash: XXH64.hash(payload),
                sequence: firstSequence - 1, chainHash: chainHashBefore, durableByteCount: 0)
            opening.append(to: &bytes, payload: payload, salt: salt)
        }
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
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else {
            throw LogError(.corrupt, "the segment does not start with a header", segment, at: 0)
        }
        guard XXH64.hash(bytes.slice(0, Offset.headerHash)) == bytes.integer(at: Offset.headerHash)
        else {
            throw LogError(.corrupt, "the checksum of the segment's header fails", segment, at: 0)
        }
        let oldestReader: UInt16 = bytes.integer(at: Offset.oldestReader)
        guard oldestReader <= Self.version else {
            let why = "the segment needs a reader of format \(oldestReader) or newer"
            throw LogError(.unsupportedFormat, why, segment, at: Offset.version)
        }
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

    /// Reads the fields without checking them; nil if there are too few bytes.
    init?(unchecked bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount,
            let storeID = StoreID([UInt8](bytes.slice(Offset.storeID, StoreID.byteCount)))
        else { return nil }
        self.storeID = storeID
        firstSequence = bytes.integer(at: Offset.firstSequence)
        chainHashBefore = ChainHash(rawValue: bytes.integer(at: Offset.chainHashBefore))
        timeBefore = bytes.integer(at: Offset.timeBefore)
        salt = bytes.integer(at: Offset.salt)
        unsyncedBytesMax = bytes.integer(at: Offset.unsyncedBytesMax)
    }
}
