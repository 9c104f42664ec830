/// One framed, checksummed unit in an active segment: a 48-byte header and a payload.
///
///      0  1  mark 0xB5
///      1  1  kind
///      2  2  zero
///      4  4  size of the payload
///      8  8  sequence of the newest batch, this block included
///     16  8  XXH64 of the payload
///     24  8  chain hash through that batch
///     32  8  durable: bytes of this file that were synced before this block was written
///     40  8  XXH64 of the 40 bytes before, seeded with the segment's salt
///     48     payload, then zeros up to a multiple of 8
///
/// The header has a check of its own, so that a rotten size cannot swallow what follows, and
/// the salt keeps stale bytes of another file from ever passing. Blocks start at multiples
/// of 8, so that the next one can be found behind a damaged one.
struct Block: Equatable, Sendable {
    enum Kind: UInt8, Sendable {
        /// A batch.
        case batch = 1
        /// The log was opened; the payload names the boot of the machine.
        case opening = 2
        /// Nothing happened for a while; carries how far the file is durable.
        case idle = 3
        /// The log was closed in order.
        case closing = 4
    }

    static let headerByteCount = 48
    static let mark: UInt8 = 0xB5
    static let alignment = 8

    var kind: Kind
    var payloadByteCount: Int
    var sequence: UInt64
    var payloadHash: UInt64
    var chainHash: ChainHash
    var durableByteCount: Int

    /// The space that a block with a payload of this size takes up.
    static func byteCount(payload: Int) -> Int {
        (headerByteCount + payload + alignment - 1) / alignment * alignment
    }

    var byteCount: Int { Self.byteCount(payload: payloadByteCount) }

    /// Appends the block to `bytes`.
    func append(to bytes: inout [UInt8], payload: UnsafeRawBufferPointer, salt: UInt64) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: byteCount))
        bytes.withUnsafeMutableBytes { all in
            let place = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            write(to: place, payload: payload, salt: salt)
        }
    }

    /// Writes the block over the first `byteCount` bytes of `bytes`.
    func write(
        to bytes: UnsafeMutableRawBufferPointer, payload: UnsafeRawBufferPointer, salt: UInt64
    ) {
        precondition(bytes.count >= byteCount, "The block needs \(byteCount) bytes.")
        bytes.storeBytes(of: Self.mark, toByteOffset: 0, as: UInt8.self)
        bytes.storeBytes(of: kind.rawValue, toByteOffset: 1, as: UInt8.self)
        bytes.storeBytes(of: 0, toByteOffset: 2, as: UInt16.self)
        bytes.store(littleEndian: UInt32(payloadByteCount), at: 4)
        bytes.store(littleEndian: sequence, at: 8)
        bytes.store(littleEndian: payloadHash, at: 16)
        bytes.store(littleEndian: chainHash.rawValue, at: 24)
        bytes.store(littleEndian: UInt64(durableByteCount), at: 32)
        let headerCheck = XXH64.hash(UnsafeRawBufferPointer(bytes).slice(0, 40), seed: salt)
        bytes.store(littleEndian: headerCheck, at: 40)
        // The padding is behind the payload, within the last word.
        let lastWord = byteCount - Self.alignment
        if payloadByteCount % Self.alignment != 0 {
            bytes.store(littleEndian: UInt64(0), at: lastWord)
        }
        UnsafeMutableRawBufferPointer(rebasing: bytes[Self.headerByteCount...])
            .copyMemory(from: payload)
    }

    /// Reads the header at `offset`; nil if there is no valid one.
    init?(headerIn bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt64) {
        guard offset + Self.headerByteCount <= bytes.count, bytes[offset] == Self.mark,
            let kind = Kind(rawValue: bytes[offset + 1]),
            XXH64.hash(bytes.slice(offset, 40), seed: salt) == bytes.integer(at: offset + 40)
        else { return nil }
        self.kind = kind
        payloadByteCount = Int(bytes.integer(at: offset + 4, as: UInt32.self))
        sequence = bytes.integer(at: offset + 8)
        payloadHash = bytes.integer(at: offset + 16)
        chainHash = ChainHash(rawValue: bytes.integer(at: offset + 24))
        durableByteCount = Int(truncatingIfNeeded: bytes.integer(at: offset + 32, as: UInt64.self))
    }

    /// Reads the block at `offset` if all of it is there and its payload is what it was.
    init?(wholeIn bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt64) {
        self.init(headerIn: bytes, at: offset, salt: salt)
        guard byteCount <= bytes.count - offset,
            XXH64.hash(bytes.slice(offset + Self.headerByteCount, payloadByteCount)) == payloadHash
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
