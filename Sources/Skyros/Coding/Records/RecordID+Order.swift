import SkyrosLog

extension RecordID: Comparable {
    /// The order of the ids' values, which is the same in the library, in the tool, in the
    /// checkpoint and in readers written in other languages.
    ///
    /// Values of different kinds are in the order of the ranks of index keys: null, booleans,
    /// numbers, texts, bytes, UUIDs, dates, arrays, maps, other tags. Numbers are ordered by value,
    /// texts by their UTF-8, byte strings by their bytes. Arrays are ordered element by element,
    /// maps by their values in the canonical order of their keys; if one is the beginning of the
    /// other, the shorter one comes first. Where all of that is equal, as of 1 and 1.0, the
    /// canonical bytes decide. Bytes that are not CBOR come last.
    ///
    /// - Complexity: O(size of the ids).
    public static func < (a: RecordID, b: RecordID) -> Bool {
        let (left, right) = (a.bytes.leadingWord, b.bytes.leadingWord)
        if haveOrderOfBytes(left, right) { return a.bytes < b.bytes }
        return a.bytes.withUnsafeBytes { left in
            b.bytes.withUnsafeBytes { right in IDOrder.precedes(left, right) }
        }
    }

    /// Whether two ids that begin with these words have the order of their bytes: two UUIDs, or two
    /// integers that are not negative.
    static func haveOrderOfBytes(_ left: UInt64, _ right: UInt64) -> Bool {
        left >> 40 == uuidHead && right >> 40 == uuidHead
            || left < integersEnd && right < integersEnd
    }

    /// The first three bytes of every UUID.
    private static let uuidHead: UInt64 = 0xD8_25_50

    /// The first word of the ids that are not integers from 0 on is at least this one.
    private static let integersEnd: UInt64 = 0x1C << 56
}

/// The order of ids of all kinds, see `RecordID`.
enum IDOrder {
    /// Whether an id with these bytes comes before another.
    static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        let order = compareTexts(a, b) ?? compareItems(a, b)
        return order == 0 ? a.compare(b) < 0 : order < 0
    }

    /// The order of two encoded values, negative, zero or positive: as of ids, but values that
    /// differ in their bytes may be equal, as 1 and 1.0 are.
    static func compareValues(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.withUnsafeBytes { left in
            b.withUnsafeBytes { right in
                compareTexts(left, right) ?? compareItems(left, right)
            }
        }
    }

    /// Compares two short texts without a reader; nil if there are none. O(n).
    private static func compareTexts(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer
    ) -> Int? {
        guard let left = a.first, let right = b.first else { return nil }
        let heads: Range<UInt8> = 0x60..<0x78
        guard heads.contains(left), heads.contains(right),
            a.count == Int(left & 0x1F) + 1, b.count == Int(right & 0x1F) + 1
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: a.dropFirst())
            .compare(UnsafeRawBufferPointer(rebasing: b.dropFirst()))
    }

    private static func compareItems(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer
    ) -> Int {
        switch (isItem(a), isItem(b)) {
        case (true, false): return -1
        case (false, true): return 1
        case (false, false): return a.compare(b)
        case (true, true): break
        }
        var (left, right) = (CBORReader(a), CBORReader(b))
        // Whole items, as was just checked, are read without errors.
        return (try? compare(&left, &right)) ?? a.compare(b)
    }

    /// Whether the bytes are one CBOR item, nested no deeper than ids may be.
    private static func isItem(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = CBORReader(bytes)
        return (try? reader.skipValue())?.upperBound == bytes.count
    }

    /// The order of the next items of two readers: negative, zero or positive. If it is zero,
    /// both readers are after their items.
    private static func compare(
        _ a: inout CBORReader, _ b: inout CBORReader
    ) throws(CBORError) -> Int {
        let (left, right) = (try rank(of: a), try rank(of: b))
        if left != right { return left < right ? -1 : 1 }
        switch left {
        case IndexKey.Rank.text: return try a.readUTF8().compare(b.readUTF8())
        case IndexKey.Rank.bytes: return try a.readBytes().compare(b.readBytes())
        case Rank.array:
            return try compare(&a, a.readArrayHead(), &b, b.readArrayHead(), isMap: false)
        case Rank.map:
            return try compare(&a, a.readMapHead(), &b, b.readMapHead(), isMap: true)
        case Rank.tag:
            let (tag, other) = (try a.readTag(), try b.readTag())
            return tag == other ? try compare(&a, &b) : tag < other ? -1 : 1
        default:
            let (left, right) = (try component(&a), try component(&b))
            return left == right ? 0 : left < right ? -1 : 1
        }
    }

    /// The order of the elements of two arrays, or of the values of two maps.
    private static func compare(
        _ a: inout CBORReader, _ countOfA: Int, _ b: inout CBORReader, _ countOfB: Int, isMap: Bool
    ) throws(CBORError) -> Int {
        for _ in 0..<min(countOfA, countOfB) {
            if isMap { _ = (try a.skipValue(), try b.skipValue()) }
            let order = try compare(&a, &b)
            if order != 0 { return order }
        }
        return countOfA - countOfB
    }

    /// The ranks of what index keys do not order.
    private enum Rank {
        static let array = IndexKey.Rank.other
        static let map = IndexKey.Rank.other + 1
        static let tag = IndexKey.Rank.other + 2
    }

    /// The rank of the next item.
    private static func rank(of reader: CBORReader) throws(CBORError) -> UInt8 {
        switch try reader.peekType() {
        case .unsigned, .negative: return IndexKey.Rank.number
        case .text: return IndexKey.Rank.text
        case .bytes: return IndexKey.Rank.bytes
        case .array: return Rank.array
        case .map: return Rank.map
        case .tag, .simple:
            var reader = reader
            let rank = try component(&reader).withUnsafeBytes { $0.first ?? 0 }
            return rank == IndexKey.Rank.other ? Rank.tag : rank
        }
    }

    /// The next item as a component of an index key.
    private static func component(_ reader: inout CBORReader) throws(CBORError) -> ByteString {
        let item = try reader.skipValue()
        return try IndexKey.append(
            UnsafeRawBufferPointer(rebasing: reader.bytes[item]), to: ByteString([]))
    }
}
