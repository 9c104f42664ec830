/// The first 96 bytes of an active segment, and the content of a sealed segment's first frame.
///
///      0  8  magic "SKYLOG\r\n"
///      8  2  format version      10  2  oldest reader version that understands the file
///     12  4  size of this header, 96
///     16 16  store id
///     32  8  sequence of the first batch
///     40  8  chain hash before the first batch: names the predecessor
///     48  8  time of the last batch before the first, in microseconds since 1970
///     56  8  salt: seed of all block headers in the file
///     64  8  bound: bytes that may be unsynced at any time
///     72 16  zero
///     88  8  XXH64 of the 88 bytes before
package struct SegmentHeader: Equatable, Sendable {
    static let byteCount = 96
    static let version: UInt16 = 1
    static let magic = Array("SKYLOG\r\n".utf8)

    package var storeID: StoreID
    package var firstSequence: UInt64
    package var chainHashBefore: ChainHash
    package var timeBefore: Int64
    package var salt: UInt64
    package var unsyncedBytesMax: UInt64

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt32(Self.byteCount))
        bytes += storeID.bytes
        bytes.append(littleEndian: firstSequence)
        bytes.append(littleEndian: chainHashBefore.rawValue)
        bytes.append(littleEndian: timeBefore)
        bytes.append(littleEndian: salt)
        bytes.append(littleEndian: unsyncedBytesMax)
        bytes += [UInt8](repeating: 0, count: 16)
        bytes.append(littleEndian: XXH64.hash(bytes))
        return bytes
    }
}

extension SegmentHeader {
    init(_ bytes: [UInt8], in segment: SegmentName) throws(LogError) {
        let header = bytes.withUnsafeBytes { buffer in
            Result { () throws(LogError) in try SegmentHeader(buffer, in: segment) }
        }
        self = try header.get()
    }

    /// Reads the header at the start of `bytes`.
    ///
    /// - Throws: `LogError` with `.unsupportedFormat` if a newer version wrote the file, with
    ///   `.corrupt` if the bytes are no header.
    init(_ bytes: UnsafeRawBufferPointer, in segment: SegmentName) throws(LogError) {
        try self.init(misnamed: bytes, in: segment)
        guard firstSequence == segment.firstSequence else {
            let why = "the segment's name and its header disagree about the first sequence"
            throw LogError(.corrupt, why, segment, at: 32)
        }
    }

    /// Reads the header at the start of `bytes`, whatever the name of the file says.
    init(misnamed bytes: UnsafeRawBufferPointer, in segment: SegmentName) throws(LogError) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else {
            throw LogError(.corrupt, "the segment does not start with a header", segment, at: 0)
        }
        let checksum: UInt64 = bytes.integer(at: 88)
        guard XXH64.hash(bytes.slice(0, 88)) == checksum else {
            throw LogError(.corrupt, "the segment's header fails its check", segment, at: 0)
        }
        let oldestReader: UInt16 = bytes.integer(at: 10)
        guard oldestReader <= Self.version else {
            let why = "the segment needs a reader of format \(oldestReader) or newer"
            throw LogError(.unsupportedFormat, why, segment, at: 8)
        }
        guard let header = SegmentHeader(unchecked: bytes) else {
            throw LogError(.corrupt, "the segment's header has no store id", segment, at: 16)
        }
        self = header
        guard firstSequence > 0 else {
            let why = "the segment begins at sequence 0, and the first one is 1"
            throw LogError(.corrupt, why, segment, at: 32)
        }
    }

    /// Takes the fields as they are; nil if there are too few bytes.
    init?(unchecked bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount,
            let storeID = StoreID([UInt8](bytes.slice(16, StoreID.byteCount)))
        else { return nil }
        self.storeID = storeID
        firstSequence = bytes.integer(at: 32)
        chainHashBefore = ChainHash(rawValue: bytes.integer(at: 40))
        timeBefore = bytes.integer(at: 48)
        salt = bytes.integer(at: 56)
        unsyncedBytesMax = bytes.integer(at: 64)
    }
}
