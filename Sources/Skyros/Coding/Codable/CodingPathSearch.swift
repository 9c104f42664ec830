/// Finds the keys that lead to an item, as errors and coding paths have them.
///
/// Maintaining a path would take longer than decoding. A search continues where the last one ended
/// in the same containers: types that try one form of a value after another make many errors.
struct CodingPathSearch {
    /// A container of the last path, and the member that leads on.
    private struct Level {
        /// The start of the container.
        let container: Int
        /// The member's index; -1 before the first.
        var index = -1
        /// The member's place, that of its key included; its value begins at `value`.
        var member: Range<Int>
        var value: Int
    }

    /// The levels of the last path, from outside.
    private var levels: [Level] = []

    /// Forgets the last path, for other bytes.
    mutating func reset() {
        if !levels.isEmpty { levels.removeAll(keepingCapacity: true) }
    }

    /// The keys that lead to the item at `target`. O(n) in the bytes between it and the target of
    /// the last search, or from the start of a container if that was further on.
    ///
    /// An error ends the search: the path has the keys up to there.
    mutating func path(to target: Int, in bytes: UnsafeRawBufferPointer) -> [any CodingKey] {
        var path: [any CodingKey] = []
        try? search(target, bytes, &path)
        return path
    }

    private mutating func search(
        _ target: Int, _ bytes: UnsafeRawBufferPointer, _ path: inout [any CodingKey]
    ) throws(CBORError) {
        var (item, depth) = (CBORReader(bytes), 0)
        while item.offset < target {
            let (container, type) = (item.offset, try item.peekType())
            switch type {
            case .tag:
                _ = try item.readTag()
                continue
            case .map, .array: break
            default: return
            }
            let count = try type == .map ? item.readMapHead() : item.readArrayHead()
            var level = Level(
                container: container, member: item.offset..<item.offset, value: 0)
            if depth < levels.count, levels[depth].container == container,
                levels[depth].member.lowerBound <= target
            {
                level = levels[depth]
            }
            while level.index < 0 || level.member.upperBound <= target {
                level.index += 1
                guard level.index < count else { return }
                item.offset = level.member.upperBound
                if type == .map { _ = try item.readContent(.text) }
                let value = try item.skipValue()
                level.member = level.member.upperBound..<value.upperBound
                level.value = value.lowerBound
            }
            if depth < levels.count { levels[depth] = level } else { levels.append(level) }
            depth += 1
            // The target may be a key or a head.
            guard level.value <= target else { return }
            item.offset = level.member.lowerBound
            try path.append(
                type == .map ? CBORKey(item.readText()) : CBORKey(index: level.index))
            item.offset = level.value
        }
    }
}
