import Foundation

/// The order of texts in sorts: by their UTF-8 bytes.
///
/// It does not depend on a version of Unicode, and SQLite and other languages have it too. Of texts
/// in normal form C it is that of Swift's `<`.
enum TextOrder {
    /// Compares the bytes of two texts. O(n).
    static func compare(_ a: String, _ b: String) -> ComparisonResult {
        let order = a.utf8.withContiguousStorageIfAvailable { a in
            b.utf8.withContiguousStorageIfAvailable { b in
                UnsafeRawBufferPointer(a).compare(UnsafeRawBufferPointer(b))
            }
        }
        if let order, let order { return result(order) }
        if a.utf8.lexicographicallyPrecedes(b.utf8) { return .orderedAscending }
        return a.utf8.elementsEqual(b.utf8) ? .orderedSame : .orderedDescending
    }

    private static func result(_ order: Int) -> ComparisonResult {
        order < 0 ? .orderedAscending : order == 0 ? .orderedSame : .orderedDescending
    }
}
