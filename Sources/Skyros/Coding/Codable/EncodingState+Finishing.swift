import Foundation

extension EncodingState {
    /// Completes the top frame's bytes and pops it. O(n log n) in the fields of a map.
    @inline(__always)
    mutating func finishFrame() throws {
        if failure != nil { try throwFailure() }
        if !children.isEmpty { try spliceChildren() }
        guard writer.count <= UInt32.max else { throw CBORError(.tooLarge, at: 0) }
        let frame = top
        switch frame.kind {
        case .undecided:
            // A type that encodes nothing is a record without fields.
            writer.reserve(1)
            writer.store(CBORFormat.Byte.emptyMap)
        case .value: break
        case .array: patchHead(.array, frame.count, at: frame.start)
        case .map: finishMap(frame)
        }
        entries.truncate(to: frame.entriesStart)
        frames.truncate(to: frames.count - 1)
    }

    private mutating func throwFailure() throws {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    /// Writes a head over the byte reserved at `start`; moves the content if the head is longer.
    private mutating func patchHead(_ type: CBORType, _ count: Int, at start: Int) {
        if count < 24 {
            let byte = type.rawValue << 5 | UInt8(truncatingIfNeeded: count)
            writer.base.storeBytes(of: byte, toByteOffset: start, as: UInt8.self)
            return
        }
        let contentSize = writer.count - start - 1
        writer.reserve(8)
        // Heads have at most nine bytes: the content moves by eight bytes, and back once the
        // size of this head is known.
        let content = writer.base + start + 1
        memmove(content + 8, content, contentSize)
        writer.truncate(to: start)
        writer.storeHead(type, UInt64(count))
        memmove(writer.base + writer.count, content + 8, contentSize)
        writer.advance(by: contentSize)
    }

    // MARK: Maps

    private mutating func finishMap(_ frame: EncodingFrame) {
        if areKeysAscending(from: frame.entriesStart) {
            patchHead(.map, entries.count - frame.entriesStart, at: frame.start)
        } else {
            sortEntries(from: frame.entriesStart, .map)
            dropRepeatedKeys(from: frame.entriesStart)
            let count = entries.count - frame.entriesStart
            emitEntries(from: frame.entriesStart, at: frame.start, .map, count)
        }
    }

    private func areKeysAscending(from first: Int) -> Bool {
        var index = first + 1
        while index < entries.count {
            let previous = entries[index - 1]
            let order = compare(previous, entries[index], .map)
            if order >= 0 { return false }
            index += 1
        }
        return true
    }

    /// If several entries have the same key, the one that was encoded last is kept.
    private mutating func dropRepeatedKeys(from first: Int) {
        var kept = first
        for index in first..<entries.count {
            let isLast = index + 1 == entries.count
            if isLast || compare(entries[index], entries[index + 1], .map) != 0 {
                if kept < index { entries[kept] = entries[index] }
                kept += 1
            }
        }
        entries.truncate(to: kept)
    }

    // MARK: Order

    /// Whether two entries have the same key.
    func hasSameKeys(_ a: Int, _ b: Int) -> Bool {
        // Offsets have 32 bits: a frame that is larger is refused when it is finished.
        writer.count <= UInt32.max && compare(entries[a], entries[b], .map) == 0
    }

    @inline(__always)
    private func compare(_ a: EncodingEntry, _ b: EncodingEntry, _ type: CBORType) -> Int {
        if a.word != b.word { return a.word < b.word ? -1 : 1 }
        return Self.compareBytes(a, b, in: writer.base, type)
    }

    /// The order of the keys of a map, or of the elements of an array, by all their bytes.
    @inline(never)
    private static func compareBytes(
        _ a: EncodingEntry, _ b: EncodingEntry, in base: UnsafeRawPointer, _ type: CBORType
    ) -> Int {
        compared(a, in: base, type).compare(compared(b, in: base, type))
    }

    private static func compared(
        _ entry: EncodingEntry, in base: UnsafeRawPointer, _ type: CBORType
    ) -> UnsafeRawBufferPointer {
        let start = base + Int(entry.start)
        guard type == .map else {
            return UnsafeRawBufferPointer(start: start, count: Int(entry.size))
        }
        // The key was written here a moment ago: its head is well formed.
        var reader = CBORReader(UnsafeRawBufferPointer(start: start, count: .max))
        let key = try? reader.readContent(.text)
        return UnsafeRawBufferPointer(start: start, count: key?.upperBound ?? 0)
    }

    // MARK: Sorting

    /// Sorts the entries from `first` on by their bytes. O(n log n).
    mutating func sortEntries(from first: Int, _ type: CBORType) {
        var slice = entries.slice(from: first)
        var end = UInt32(truncatingIfNeeded: writer.count)
        var index = slice.count
        while index > 0 {
            index -= 1
            slice[index].size = end - slice[index].start
            end = slice[index].start
        }
        let base = UnsafeRawPointer(writer.base)
        func precedes(_ a: EncodingEntry, _ b: EncodingEntry) -> Bool {
            if a.word != b.word { return a.word < b.word }
            let order = Self.compareBytes(a, b, in: base, type)
            return order < 0 || (order == 0 && a.start < b.start)
        }
        if slice.count <= 24 {
            Self.sortByInsertion(slice, precedes)
        } else {
            slice.sort(by: precedes)
        }
    }

    @inline(__always)
    private static func sortByInsertion(
        _ slice: UnsafeMutableBufferPointer<EncodingEntry>,
        _ precedes: (EncodingEntry, EncodingEntry) -> Bool
    ) {
        var index = 1
        while index < slice.count {
            let entry = slice[index]
            var hole = index
            while hole > 0, precedes(entry, slice[hole - 1]) {
                slice[hole] = slice[hole - 1]
                hole -= 1
            }
            slice[hole] = entry
            index += 1
        }
    }

    /// Writes a head at `start` and after it the entries in their present order. O(n).
    mutating func emitEntries(from first: Int, at start: Int, _ type: CBORType, _ count: Int) {
        let size = writer.count - start
        scratch.removeAll()
        scratch.append(raw: UnsafeRawBufferPointer(start: writer.base + start, count: size))
        writer.truncate(to: start)
        writer.reserve(size + 9)
        writer.storeHead(type, UInt64(count))
        for entry in entries.slice(from: first) {
            let source = scratch.base + (Int(entry.start) - start)
            writer.store(UnsafeRawBufferPointer(start: source, count: Int(entry.size)))
        }
    }
}
