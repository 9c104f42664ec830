/// The fields of an opened map: a slice of `DecodingState.entries`.
struct DecodingFields {
    let first: Int
    let count: Int
    /// The start of the map.
    let offset: Int

    /// Whether this is the outermost map.
    var isOutermost: Bool { offset == 0 }

    /// Up to this many fields are searched linearly; more by a binary search.
    private static let scanMax = 24

    /// The index, in the state's entries, of the field with this name.
    @inline(__always)
    func index(
        of utf8: UnsafeRawBufferPointer, in state: borrowing DecodingState
    ) -> Int? {
        let word = KeyPrefix.word(of: utf8)
        let end = first + count
        var index = first
        if count > Self.scanMax { index = lowerBound(of: word, in: state) }
        while index < end {
            let entry = state.entries[index]
            if entry.word == word, utf8.count < 8 || isKey(entry, utf8, state) { return index }
            if entry.word > word { return nil }
            index += 1
        }
        return nil
    }

    private func isKey(
        _ entry: DecodingEntry, _ utf8: UnsafeRawBufferPointer,
        _ state: borrowing DecodingState
    ) -> Bool {
        let end = Int(entry.value)
        return state.bytes.equals(utf8, at: (end - Int(entry.keyLength))..<end)
    }

    /// The first of the fields whose word is not less than `word`. O(log n).
    private func lowerBound(of word: UInt64, in state: borrowing DecodingState) -> Int {
        var low = first
        var high = first + count
        while low < high {
            let middle = (low + high) / 2
            if state.entries[middle].word < word { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
