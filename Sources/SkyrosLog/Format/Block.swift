/// A framed, checksummed record of an open segment: a header of 48 bytes and a payload.
///
/// The header has a separate checksum, so a damaged size cannot hide the blocks after it. The salt
/// keeps stale bytes of another file from passing. Blocks start at multiples of 8, so the next one
/// can be found after a damaged one.
struct Block: Equatable, Sendable {
    /// What a block says. Later versions add kinds, so a reader may meet unknown numbers.
    struct Kind: RawRepresentable, Hashable, Sendable {
        let rawValue: UInt8

        static let batch = Kind(rawValue: 1)
        /// The log was opened. The payload names the machine's boot: see `OpeningPayload`.
        static let opening = Kind(rawValue: 2)
        /// The log was idle. The header proves how far the file is durable.
        static let idle = Kind(rawValue: 3)
        /// The log was closed in order.
        static let closing = Kind(rawValue: 4)
        /// The segment is full: the next block is in its successor.
        static let ended = Kind(rawValue: 5)

        private static let known: Set = [batch, opening, idle, closing, ended]

        /// Whether a reader that does not know the kind may skip the block: bit 7 is clear.
        var isReadable: Bool { rawValue & 0x80 == 0 || Self.known.contains(self) }
    }

    /// The layout of a block. The payload is followed by zeros up to a multiple of 8.
    enum Offset {
        static let mark = 0
        static let kind = 1
        /// What a reader must know of the payload, one a bit. This library knows no flag.
        static let flags = 2
        static let payloadByteCount = 4
        /// The newest batch, this block included.
        static let sequence = 8
        /// XXH64 of the payload.
        static let payloadHash = 16
        static let chainHash = 24
        /// Bytes of this file that were synced before the block was written.
        static let durableByteCount = 32
        /// XXH64 of the bytes before, seeded with the segment's salt.
        static let headerHash = 40
        static let payload = 48
    }

    static let headerByteCount = Offset.payload
    static let mark: UInt8 = 0xB5
    static let alignment = 8

    var kind: Kind
    var flags: UInt16 = 0
    var payloadByteCount: Int
    var sequence: UInt64
    var payloadHash: UInt64
    var chainHash: ChainHash
    var durableByteCount: Int

    /// The size of a block with a payload of this size.
    static func byteCount(payload: Int) -> Int {
        (headerByteCount + payload + alignment - 1) / alignment * alignment
    }

    var byteCount: Int { Self.byteCount(payload: payloadByteCount) }

    /// Why this library must not pass over the block, although its checksums are right; nil if it
    /// may.
    var refusal: String? {
        if !kind.isReadable {
            return "the block has kind \(kind.rawValue); use a newer version"
        }
        if flags != 0 {
            let digits = UInt64(flags).digits(4, radix: 16)
            return "the block has flags 0x\(digits); use a newer version"
        }
        return nil
    }

    /// Appends the block to `bytes`.
    func append(to bytes: inout [UInt8], payload: UnsafeRawBufferPointer, salt: UInt64) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: byteCount))
        bytes.withUnsafeMutableBytes { all in
            let target = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            write(to: target, payload: payload, salt: salt)
        }
    }

    /// Writes the block over the first `byteCount` bytes of `bytes`.
    func write(
        to bytes: UnsafeMutableRawBufferPointer, payload: UnsafeRawBufferPointer, salt: UInt64
    ) {
        precondition(bytes.count >= byteCount, "The block needs \(byteCount) bytes.")
        bytes.store(littleEndian: Self.mark, at: Offset.mark)
        bytes.store(littleEndian: kind.rawValue, at: Offset.kind)
        bytes.store(littleEndian: flags, at: Offset.flags)
        bytes.store(littleEndian: UInt32(payloadByteCount), at: Offset.payloadByteCount)
        bytes.store(littleEndian: sequence, at: Offset.sequence)
        bytes.store(littleEndian: payloadHash, at: Offset.payloadHash)
        bytes.store(littleEndian: chainHash.rawValue, at: Offset.chainHash)
        bytes.store(littleEndian: UInt64(durableByteCount), at: Offset.durableByteCount)
        let hashed = UnsafeRawBufferPointer(bytes).slice(0, Offset.headerHash)
        bytes.store(littleEndian: XXH64.hash(hashed, seed: salt), at: Offset.headerHash)
        // The padding is within the last word, which the payload overwrites in part.
        if payloadByteCount % Self.alignment != 0 {
            bytes.store(littleEndian: UInt64(0), at: byteCount - Self.alignment)
        }
        UnsafeMutableRawBufferPointer(rebasing: bytes[Offset.payload...])
            .copyMemory(from: payload)
    }

    /// Reads the header at `offset`; nil if it is not valid.
    init?(headerIn bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt64) {
        guard offset + Self.headerByteCount <= bytes.count, bytes[offset] == Self.mark,
            XXH64.hash(bytes.slice(offset, Offset.headerHash), seed: salt)
                == bytes.integer(at: offset + Offset.headerHash)
        else { return nil }
        kind = Kind(rawValue: bytes[offset + Offset.kind])
        flags = bytes.integer(at: offset + Offset.flags)
        payloadByteCount = Int(
            bytes.integer(at: offset + Offset.payloadByteCount, as: UInt32.self))
        sequence = bytes.integer(at: offset + Offset.sequence)
        payloadHash = bytes.integer(at: offset + Offset.payloadHash)
        chainHash = ChainHash(rawValue: bytes.integer(at: offset + Offset.chainHash))
        durableByteCount = Int(
            truncatingIfNeeded: bytes.integer(at: offset + Offset.durableByteCount, as: UInt64.self)
        )
    }

    /// Reads the block at `offset`; nil if it is not complete, or a checksum fails.
    init?(wholeIn bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt64) {
        self.init(headerIn: bytes, at: offset, salt: salt)
        guard byteCount <= bytes.count - offset,
            XXH64.hash(bytes.slice(offset + Offset.payload, payloadByteCount)) == payloadHash
        else { return nil }
    }

    init(
        _ kind: Kind, payload: UnsafeRawBufferPointer, payloadHash: UInt64, sequence: UInt64,
        chainHash: ChainHash, durableByteCount: Int
    ) {
        self.kind = kind
        payloadByteCount = payload.count
        self.payloadHash = payloadHash
        self.sequence = sequence
        self.chainHash = chainHash
        self.durableByteCount = durableByteCount
    }
}
