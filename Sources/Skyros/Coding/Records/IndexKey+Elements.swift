extension IndexKey {
    /// The components of the elements of a list, each once, in ascending order; none if the record
    /// lacks the field, or if its value is not a list. Null elements are left out. O(n log n) in
    /// the size of the list.
    static func elements(
        of field: IndexField, record: UnsafeRawBufferPointer
    ) throws(CBORError) -> [ByteString] {
        var keys: [ByteString] = []
        guard let range = try field.value(in: record) else { return keys }
        var elements = try ListElements(record, in: range)
        while let element = try elements.next() {
            var builder = Builder()
            try builder.append(element, of: record)
            if builder.isComplete { keys.append(builder.key) }
        }
        keys.sort()
        return keys.withoutRepetitions()
    }
}

/// Iterates over the elements of a list in a record.
struct ListElements {
    private var reader: CBORReader
    private var left: Int

    /// The elements of the value at `range`; none if it is not a list.
    init(_ record: UnsafeRawBufferPointer, in range: Range<Int>) throws(CBORError) {
        reader = CBORReader(record, at: range.lowerBound)
        left = try reader.peekType() == .array ? reader.readArrayHead() : 0
    }

    /// The place of the next element; nil after the last. O(size of the element).
    mutating func next() throws(CBORError) -> Range<Int>? {
        guard left > 0 else { return nil }
        left -= 1
        // The record and the list are levels.
        return try reader.skipValue(depth: 2)
    }
}

extension IndexField {
    /// The place of the field's value in a record; nil if the record lacks it. O(fields before it).
    @inline(__always)
    func value(in record: UnsafeRawBufferPointer) throws(CBORError) -> Range<Int>? {
        var reader = CBORReader(record)
        for _ in 0..<(try reader.readMapHead()) {
            let entry = try reader.readField(depth: 1)
            // Keys are in order: neither this one nor a later one can match.
            if entry.key.word > word { return nil }
            if matches(entry.key, in: record) { return entry.value }
        }
        return nil
    }
}

extension [ByteString] {
    /// The elements of a sorted array, each once.
    fileprivate func withoutRepetitions() -> [ByteString] {
        var result: [ByteString] = []
        result.reserveCapacity(count)
        for element in self where element != result.last { result.append(element) }
        return result
    }
}
