import Foundation

extension UnsafeRawBufferPointer {
    /// Whether the bytes in `range` are those of `other`. O(n).
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
        guard range.count == other.count else { return false }
        guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
        return memcmp(base + range.lowerBound, otherBase, other.count) == 0
    }

    /// Less than, equal to or greater than zero, as these bytes stand to `other`: the order of
    /// the first byte that differs, and otherwise the shorter first. O(n).
    func compare(_ other: UnsafeRawBufferPointer) -> Int {
        if let base = baseAddress, let otherBase = other.baseAddress {
            let order = memcmp(base, otherBase, Swift.min(count, other.count))
            if order != 0 { return Int(order) }
        }
        return count - other.count
    }
}

extension String {
    /// Calls `body` with the UTF-8 of the string, which becomes contiguous if it was not.
    @inline(__always)
    mutating func withUTF8Bytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        var result: Result<R, E>?
        withUTF8 { utf8 in
            result = Result { () throws(E) in try body(UnsafeRawBufferPointer(utf8)) }
        }
        guard let result else { preconditionFailure("withUTF8 calls its closure once.") }
        return try result.get()
    }
}
