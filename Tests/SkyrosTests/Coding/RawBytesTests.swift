import TestSupport
import Testing

@testable import Skyros

/// Loops over eight bytes at a time, compared with loops over single bytes.
@Suite struct `Raw bytes` {
    private func samples() -> [[UInt8]] {
        var random = RandomSource(seed: 91)
        return (0..<4_000).map { _ in
            var bytes = (0..<random.below(40)).map { _ in UInt8(0x61 + random.below(3)) }
            let edges: [UInt8] = [0, 1, 2, 0x7F, 0x80, 0xFF]
            for _ in 0..<random.below(3) where !bytes.isEmpty {
                bytes[random.below(bytes.count)] = edges[random.below(edges.count)]
            }
            return bytes
        }
    }

    @Test func `are plain if they are ASCII without the first two`() {
        for bytes in samples() {
            let isPlain = bytes.allSatisfy { $0 > 1 && $0 < 0x80 }
            #expect(bytes.withUnsafeBytes { $0.isPlain } == isPlain, "\(bytes)")
        }
    }

    @Test func `have the prefix in common up to the first difference`() {
        for bytes in samples() {
            for index in bytes.indices {
                var other = bytes
                other[index] ^= 0x10
                #expect(common(bytes, other) == index)
                #expect(common(bytes, Array(bytes[..<index])) == index)
            }
            #expect(common(bytes, bytes + [1]) == bytes.count)
        }
    }

    private func common(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.withUnsafeBytes { a in b.withUnsafeBytes { a.commonPrefixCount($0) } }
    }

    @Test func `give words that are filled up with zeros`() {
        for bytes in samples() {
            for start in [0, 8, 16, 24] {
                var word: UInt64 = 0
                for index in start..<start + 8 {
                    word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
                }
                #expect(bytes.withUnsafeBytes { $0.word(from: start) } == word, "\(bytes)")
            }
        }
    }
}
