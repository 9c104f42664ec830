import Foundation

extension IndexKey {
    /// Calls `body` with the place and the rank of each component of a key until it returns
    /// false; returns whether it never did. O(n).
    ///
    /// The key is one that `make` has made.
    static func allComponents(
        of key: ByteString, satisfy body: (_ place: Int, _ rank: UInt8) -> Bool
    ) -> Bool {
        key.withUnsafeBytes { bytes in
            var offset = 0
            var place = 0
            while offset < bytes.count {
                guard body(place, bytes[offset]) else { return false }
                offset = end(ofComponentAt: offset, in: bytes)
                place += 1
            }
            return true
        }
    }

    /// The ranks that the values of a type have; nil if they may have any.
    static func ranks(of type: Any.Type) -> ClosedRange<UInt8>? {
        switch type {
        case is String.Type: Rank.text...Rank.text
        case is UUID.Type: Rank.uuid...Rank.uuid
        case is Date.Type: Rank.date...Rank.date
        case is Bool.Type: Rank.false...Rank.true
        case is any Numeric.Type where KeyOrder.of(type) == .full: Rank.number...Rank.nan
        default: nil
        }
    }

    private static func end(
        ofComponentAt start: Int, in bytes: UnsafeRawBufferPointer
    ) -> Int {
        switch bytes[start] {
        case Rank.number: return start + 10 + Int(bytes[start + 9])
        case Rank.uuid: return start + 17
        case Rank.date: return start + 9
        case Rank.text, Rank.bytes, Rank.other:
            let content = bytes[(start + 1)...]
            return (content.firstIndex(of: 0) ?? bytes.count - 1) + 1
        default: return start + 1
        }
    }
}
