/// The 64-bit xxHash: fast, well mixed, not cryptographic.
///
/// Blocks, segments, the chain hash and the state digest all use it, so a reader in another
/// language needs one common function. It detects every change within one aligned 8-byte word,
/// because each round is a bijection of its word.
///
/// Source: the xxHash specification, version 0.1.1, by Yann Collet.
package struct XXH64: Sendable {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash of `bytes` under `seed`. O(n).
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var offset = 0
        var hash: UInt64
        if bytes.count >= 32 {
            hash = stripes(of: bytes, seed: seed, offset: &offset)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(bytes.count)
        return avalanche(tail(of: bytes, from: offset, hash: hash))
    }

    /// The hash of `bytes` under `seed`. O(n).
    package static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, seed: seed) }
    }

    private static func stripes(
        of bytes: UnsafeRawBufferPointer, seed: UInt64, offset: inout Int
    ) -> UInt64 {
        var a = seed &+ prime1 &+ prime2
        var b = seed &+ prime2
        var c = seed
        var d = seed &- prime1
        let end = bytes.count - 32
        while offset <= end {
            a = round(a, word(bytes, offset))
            b = round(b, word(bytes, offset + 8))
            c = round(c, word(bytes, offset + 16))
            d = round(d, word(bytes, offset + 24))
            offset += 32
        }
        var hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
        hash = merge(hash, a)
        hash = merge(hash, b)
        hash = merge(hash, c)
        return merge(hash, d)
    }

    private static func tail(
        of bytes: UnsafeRawBufferPointer, from start: Int, hash: UInt64
    ) -> UInt64 {
        var hash = hash
        var offset = start
        while offset + 8 <= bytes.count {
            hash ^= round(0, word(bytes, offset))
            hash = rotate(hash, 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset + 4 <= bytes.count {
            let half = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            hash ^= UInt64(UInt32(littleEndian: half)) &* prime1
            hash = rotate(hash, 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < bytes.count {
            hash ^= UInt64(bytes[offset]) &* prime5
            hash = rotate(hash, 11) &* prime1
            offset += 1
        }
        return hash
    }

    private static func avalanche(_ value: UInt64) -> UInt64 {
        var hash = value
        hash ^= hash >> 33
        hash &*= prime2
        hash ^= hash >> 29
        hash &*= prime3
        return hash ^ (hash >> 32)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func round(_ accumulator: UInt64, _ input: UInt64) -> UInt64 {
        rotate(accumulator &+ input &* prime2, 31) &* prime1
    }

    private static func merge(_ hash: UInt64, _ accumulator: UInt64) -> UInt64 {
        (hash ^ round(0, accumulator)) &* prime1 &+ prime4
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }
}
