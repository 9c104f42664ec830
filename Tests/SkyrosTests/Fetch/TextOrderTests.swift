import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The order of texts` {
    private func normalOrder(_ a: String, _ b: String) -> ComparisonResult {
        let a = a.precomposedStringWithCanonicalMapping.unicodeScalars
        let b = b.precomposedStringWithCanonicalMapping.unicodeScalars
        if a.lexicographicallyPrecedes(b) { return .orderedAscending }
        return b.lexicographicallyPrecedes(a) ? .orderedDescending : .orderedSame
    }

    @Test(arguments: [
        ("e\u{301}", "\u{E9}b"), ("e\u{301}", "f"), ("e\u{301}", "e"), ("e\u{301}", "\u{E9}"),
        ("\u{212B}", "\u{C5}e"), ("\u{1100}\u{1161}", "가"), ("가\u{301}", "\u{1100}\u{1161}b"),
        ("a\u{323}\u{301}", "a\u{301}\u{323}"), ("", "\u{301}"), ("日本", "日"), ("\u{F900}", "豈"),
    ])
    func `is that of their scalars in normal form`(a: String, b: String) {
        #expect(TextOrder.compare(a, b) == normalOrder(a, b))
        #expect(TextOrder.compare(b, a) == normalOrder(b, a))
    }

    @Test func `is that of their scalars in normal form for random texts`() throws {
        var random = RandomSource(seed: 17)
        let more: [Unicode.Scalar] = [
            "\u{3BF}", "\u{439}", "\u{306}", "\u{387}", "か", "\u{3099}", "\u{11A8}", "\u{1F600}",
        ]
        for _ in 0..<20_000 {
            // A common beginning, so that differences stand within texts.
            let start = random.text().prefix(3)
            var (a, b) = (start + random.text().prefix(3), start + random.text().prefix(3))
            if random.below(2) == 0 { a.unicodeScalars.append(more[random.below(more.count)]) }
            if random.below(2) == 0 { b.unicodeScalars.append(more[random.below(more.count)]) }
            let (first, second) = (String(a), String(b))
            try #require(TextOrder.compare(first, second) == normalOrder(first, second))
        }
    }

    /// What the order takes for granted of scalars that it does not normalise.
    @Test func `leaves only scalars unnormalized that normalization does not change`() throws {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let lead = try #require(text.utf8.first)
            if TextOrder.isInert(lead: lead) {
                let normal = Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)
                try #require(normal == [scalar])
                try #require(scalar.properties.canonicalCombiningClass == .notReordered)
            }
            // A scalar that merges with the one before it follows it in some decomposition.
            for part in text.decomposedStringWithCanonicalMapping.unicodeScalars.dropFirst() {
                let partLead = try #require(String(part).utf8.first)
                try #require(!TextOrder.isInert(lead: partLead))
            }
        }
    }
}
