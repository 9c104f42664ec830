import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The order of texts` {
    @Test func `is that of their UTF-8`() {
        var random = RandomSource(seed: 17)
        for _ in 0..<5_000 {
            // A common beginning, so that differences stand within texts.
            let start = random.text().prefix(3)
            let (a, b) = (String(start + random.text()), String(start + random.text()))
            let expected: ComparisonResult =
                a.utf8.lexicographicallyPrecedes(b.utf8)
                ? .orderedAscending
                : a.utf8.elementsEqual(b.utf8) ? .orderedSame : .orderedDescending
            #expect(TextOrder.compare(a, b) == expected)
        }
    }

    /// Of such texts an index serves ranges.
    @Test func `is that of Swift in normal form C (F67)`() {
        var random = RandomSource(seed: 18)
        for _ in 0..<30_000 {
            let start = random.oddText(), a = start + random.oddText(), b = start + random.oddText()
            guard NormalForm(of: a) == .normal, NormalForm(of: b) == .normal else { continue }
            let isLess = TextOrder.compare(a, b) == .orderedAscending
            if (a < b) != isLess { Issue.record("\(scalars(a)) \(scalars(b))") }
        }
    }
}

private func scalars(_ text: String) -> [String] {
    text.unicodeScalars.map { String($0.value, radix: 16) }
}

extension RandomSource {
    /// A text with scalars that compose, decompose and change places.
    fileprivate mutating func oddText() -> String {
        var text = String(text().prefix(2))
        for _ in 0..<below(3) {
            let block: [UInt32] = [
                0x300, 0x3B0, 0x650, 0x930, 0xC50, 0xE30, 0xF70, 0x1100, 0x1160, 0x11A0, 0x1E00,
                0x3040, 0xAC00, 0xF900, 0xFB10, 0x11380, 0x16120, 0x16D60, 0x1D150, 0x1F600,
            ]
            let value = block[below(block.count)] + UInt32(below(0x60))
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}

#if !canImport(Darwin)
    @_spi(_Unicode) import Swift

    /// The forms beside those of the standard library, which has them for itself.
    @Suite struct `The normal form of a text` {
        @Test func `is that of Swift, or doubtful (F67)`() {
            var random = RandomSource(seed: 19)
            var counts = (normal: 0, other: 0, doubtful: 0)
            for _ in 0..<30_000 {
                let text = random.oddText() + random.oddText()
                var expected = String.UnicodeScalarView()
                expected.append(contentsOf: text._nfc)
                switch NormalForm(of: text) {
                case .normal:
                    counts.normal += 1
                    if !String(expected).utf8.elementsEqual(text.utf8) {
                        Issue.record("\(scalars(text)) is not normal")
                    }
                case .other(let normal):
                    counts.other += 1
                    if !String(expected).utf8.elementsEqual(normal.utf8) {
                        Issue.record("\(scalars(text)) is not \(scalars(normal))")
                    }
                case .doubtful: counts.doubtful += 1
                }
            }
            #expect(min(counts.normal, counts.other, counts.doubtful) > 1_000, "\(counts)")
        }

        @Test func `is known of the texts of many languages`() {
            let texts = [
                "Ελλάδα", "Россия", "日本語のテキスト", "한국어", "العَرَبِيَّة", "עִבְרִית", "हिन्दी", "ภาษาไทยที่นี่",
                "தமிழ்", "Tiếng Việt", "👩🏽‍💻🫠❤️", "ქართული", "ប្រទេស", "Zürich",
            ]
            for text in texts { #expect(NormalForm(of: text) == .normal) }
            #expect(NormalForm(of: "Zoe\u{308}") == .other("Zo\u{EB}"))
        }
    }
#endif
