/// Replaces many texts by others wherever they are parts of a text: at each place the longest one
/// that stands there.
struct TextReplacer {
    /// The texts that begin with the same bytes.
    private struct Bucket {
        /// Longest first.
        var counts: [Int] = []
        var replacements: [ArraySlice<UInt8>: String] = [:]
    }

    private var buckets: [UInt32: Bucket] = [:]
    /// The bytes of the longest text.
    private var countMax = 0

    /// All texts have this many bytes at least.
    private static let headCount = 3

    /// Adds a text of at least three bytes; the first replacement of a text counts.
    mutating func add(_ text: String, replacement: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.headCount else { return }
        countMax = max(countMax, bytes.count)
        let head = Self.head(of: bytes, at: 0)
        var bucket = buckets.removeValue(forKey: head) ?? Bucket()
        if bucket.replacements[bytes[...]] == nil {
            bucket.replacements[bytes[...]] = replacement
            if !bucket.counts.contains(bytes.count) {
                bucket.counts.append(bytes.count)
                bucket.counts.sort(by: >)
            }
        }
        buckets[head] = bucket
    }

    private static func head(of bytes: [UInt8], at index: Int) -> UInt32 {
        UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
    }

    /// O(length × number of different lengths of texts that begin alike).
    func replaced(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard let other = replacement(of: bytes) else { return text }
        return String(decoding: other, as: UTF8.self)
    }

    /// The same for bytes that may be no text.
    func replaced(_ bytes: [UInt8]) -> [UInt8] { replacement(of: bytes) ?? bytes }

    /// Nil if nothing in it is to be replaced.
    private func replacement(of bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var copied = 0
        while let (place, replacement) = firstMatch(in: bytes, from: copied) {
            result += bytes[copied..<place.lowerBound]
            result += replacement.utf8
            copied = place.upperBound
        }
        return copied > 0 ? result + bytes[copied...] : nil
    }

    /// Whether a place in bytes lies in one of the texts. O(length of the longest text).
    func covers(_ place: Range<Int>, in bytes: [UInt8]) -> Bool {
        let first = max(0, place.upperBound - countMax)
        let last = min(place.lowerBound, bytes.count - Self.headCount)
        guard first <= last else { return false }
        return (first...last).contains { start in
            guard let bucket = buckets[Self.head(of: bytes, at: start)] else { return false }
            return bucket.counts.contains { count in
                let end = start + count
                return place.upperBound <= end && end <= bytes.count
                    && bucket.replacements[bytes[start..<end]] != nil
            }
        }
    }

    /// The first place of a text in bytes, from an index on.
    func firstMatch(
        in bytes: [UInt8], from start: Int = 0
    ) -> (place: Range<Int>, replacement: String)? {
        guard !buckets.isEmpty, bytes.count >= Self.headCount else { return nil }
        for index in start..<max(start, bytes.count - Self.headCount + 1) {
            guard let bucket = buckets[Self.head(of: bytes, at: index)] else { continue }
            for count in bucket.counts where index + count <= bytes.count {
                if let replacement = bucket.replacements[bytes[index..<index + count]] {
                    return (index..<index + count, replacement)
                }
            }
        }
        return nil
    }
}
