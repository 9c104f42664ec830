import Foundation

/// The order of texts by their Unicode scalars in normal form C, which is that of index keys.
///
/// Swift's `<` is documented as that; `IndexKey` says where Swift 6.3 errs.
enum TextOrder {
    /// Compares two texts; normalizes them only where they differ in a scalar that could be part
    /// of a composed one. O(n).
    static func compare(_ a: String, _ b: String) -> ComparisonResult {
        let order = a.utf8.withContiguousStorageIfAvailable { a in
            b.utf8.withContiguousStorageIfAvailable { b in orderAtDifference(a, b) }
        }
        if let order, let order, let order { return order }
        return compareBytes(
            a.precomposedStringWithCanonicalMapping, b.precomposedStringWithCanonicalMapping)
    }

    /// Whether scalars whose UTF-8 begins with `lead` are their own normal form and never merge
    /// with the scalar before them.
    ///
    /// That is true of U+0000 to U+02FF, U+03C0 to U+047F, U+4000 to U+9FFF, and U+B000 to
    /// U+CFFF: most of what is written in Latin, Cyrillic, Chinese and Korean.
    static func isInert(lead: UInt8) -> Bool {
        switch lead {
        case ..<0xCC, 0xCF...0xD1, 0xE4...0xE9, 0xEB...0xEC: true
        default: false
        }
    }

    /// The order by the first scalar that differs; nil if normalization could change it.
    private static func orderAtDifference(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult? {
        let shorter = min(a.count, b.count)
        var place = 0
        while place < shorter, a[place] == b[place] { place += 1 }
        guard place < a.count || place < b.count else { return .orderedSame }
        let isLess = place == a.count || (place < b.count && a[place] < b[place])
        // What is before the scalar is the same, and normalizes to the same.
        while place > 0, place < shorter, a[place] & 0xC0 == 0x80 { place -= 1 }
        guard isSettled(a, at: place), isSettled(b, at: place) else { return nil }
        return isLess ? .orderedAscending : .orderedDescending
    }

    /// Whether the scalar at `place` is the same in normal form, and begins there.
    private static func isSettled(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        guard place < text.count else { return true }
        let lead = text[place]
        guard isInert(lead: lead) else { return false }
        let next = place + max(1, (~lead).leadingZeroBitCount)
        return next >= text.count || isInert(lead: text[next])
    }

    private static func compareBytes(_ a: String, _ b: String) -> ComparisonResult {
        if a.utf8.lexicographicallyPrecedes(b.utf8) { return .orderedAscending }
        return a.utf8.elementsEqual(b.utf8) ? .orderedSame : .orderedDescending
    }
}
