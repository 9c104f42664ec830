/// A key of a map that is being decoded, and the start of its value.
struct DecodingEntry: BitwiseCopyable {
    /// The key's beginning, see `KeyPrefix`.
    var word: UInt64
    var keyLength: UInt32
    /// The value's offset; the key's UTF-8 ends there.
    var value: UInt32
}

/// The bytes and buffers of a decoding call.
struct DecodingState: ~Copyable {
    /// The number of the call. Decoders and containers of earlier calls have another one.
    private(set) var stamp: UInt = 1
    /// The bytes of the call; empty after its end.
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The keys of all maps that were opened, one slice per container.
    var entries = ScratchStack<DecodingEntry>(capacity: 128)
    var kinds = CodingKinds()
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The number of running calls of `init(from:)`.
    var callDepth = 0
    /// The end of the outermost item, once a container has found it.
    var end: Int?
    /// The fields of the outermost map for which the type asked.
    var requests = FieldRequests()
    /// Finds coding paths.
    var search = CodingPathSearch()

    /// Ends a call.
    mutating func reset() {
        stamp += 1
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        entries.removeAll()
        callDepth = 0
        end = nil
        requests.reset()
        search.reset()
        if !userInfo.isEmpty { userInfo = [:] }
    }

    // MARK: Opening a map

    /// Lists the fields of the map at `offset`, in canonical order, on top of `entries`.
    ///
    /// Checks that the whole map is well formed and that no key repeats.
    mutating func openMap(at offset: Int, depth: Int) throws(CBORError) -> DecodingFields {
        guard depth < CBORFormat.nestingMax else { throw CBORError(.tooDeep, at: offset) }
        var reader = CBORReader(bytes, at: offset)
        let count = try reader.readMapHead()
        let first = entries.count
        var previous: UInt64 = 0
        var isAscending = true
        for _ in 0..<count {
            let key = try reader.readField(depth: depth + 1).key
            isAscending = isAscending && previous < key.word
            previous = key.word
            entries.push(
                DecodingEntry(
                    word: key.word, keyLength: UInt32(truncatingIfNeeded: key.range.count),
                    value: UInt32(truncatingIfNeeded: key.range.upperBound)))
        }
        if offset == 0 {
            end = reader.offset
            requests.noteFields(count)
        }
        if !isAscending { try arrange(from: first) }
        return DecodingFields(first: first, count: count, offset: offset)
    }

    // MARK: Order

    /// Sorts keys that may be out of order, and checks for repeated ones.
    @inline(never)
    private func arrange(from first: Int) throws(CBORError) {
        var slice = entries.slice(from: first)
        let bytes = bytes
        slice.sort { Self.compare($0, $1, in: bytes) < 0 }
        for index in slice.indices.dropFirst()
        where Self.compare(slice[index - 1], slice[index], in: bytes) == 0 {
            throw CBORError(.duplicateKey, at: Int(slice[index].value))
        }
    }

    private static func compare(
        _ a: DecodingEntry, _ b: DecodingEntry, in bytes: UnsafeRawBufferPointer
    ) -> Int {
        if a.word != b.word { return a.word < b.word ? -1 : 1 }
        return key(a, in: bytes).compare(key(b, in: bytes))
    }

    /// The UTF-8 of an entry's key.
    @inline(__always)
    static func key(
        _ entry: DecodingEntry, in bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let end = Int(entry.value)
        return UnsafeRawBufferPointer(rebasing: bytes[(end - Int(entry.keyLength))..<end])
    }
}
