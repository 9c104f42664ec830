/// A node of a `KeyTree`: a leaf with entries, or a branch with children.
///
/// Unchecked because it is mutable: it is changed only while one reference to it exists, which
/// is then the changing tree's own; what is shared is only read.
final class KeyNode: @unchecked Sendable {
    /// A leaf's entries; in a branch, the first entry below each child but the first.
    private(set) var entries: ContiguousArray<KeyEntry>
    /// Empty in a leaf.
    private(set) var children: ContiguousArray<KeyNode>

    static let entryCountMax = 64
    private static let entryCountMin = entryCountMax / 4

    init() {
        entries = []
        children = []
    }

    /// A branch over children that stand in order.
    init(children: ContiguousArray<KeyNode>) {
        self.children = children
        entries = ContiguousArray(children.dropFirst().map(\.firstEntry))
    }

    private init(_ entries: ContiguousArray<KeyEntry>, _ children: ContiguousArray<KeyNode>) {
        self.entries = entries
        self.children = children
    }

    var isLeaf: Bool { children.isEmpty }

    private var firstEntry: KeyEntry {
        var node = self
        while !node.isLeaf { node = node.children[0] }
        return node.entries[0]
    }

    /// The first entry that is not before the given place.
    func lowerIndex(of key: ByteString, _ id: RecordID) -> Int {
        index { $0.precedes(key, id) }
    }

    /// The child under which an entry with this place belongs.
    func childIndex(of key: ByteString, _ id: RecordID) -> Int {
        index { $0.precedes(key, id) || ($0.key == key && $0.row.id == id) }
    }

    /// The number of entries at the front for which `isBefore` holds.
    private func index(where isBefore: (KeyEntry) -> Bool) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(entries[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func makeUnique(_ node: inout KeyNode) {
        if !isKnownUniquelyReferenced(&node) { node = KeyNode(node.entries, node.children) }
    }
}

// MARK: - Changing

extension KeyNode {
    /// Inserts below `node`; returns the right half if the node had to be split, and whether the
    /// entry is new.
    static func insert(
        _ entry: KeyEntry, into node: inout KeyNode
    ) -> (split: KeyNode?, isNew: Bool) {
        makeUnique(&node)
        if node.isLeaf {
            let index = node.lowerIndex(of: entry.key, entry.row.id)
            if index < node.entries.count, node.entries[index].key == entry.key,
                node.entries[index].row.id == entry.row.id
            {
                node.entries[index] = entry
                return (nil, false)
            }
            node.entries.insert(entry, at: index)
            return (node.splitIfFull(), true)
        }
        let index = node.childIndex(of: entry.key, entry.row.id)
        let (split, isNew) = insert(entry, into: &node.children[index])
        if let split {
            node.entries.insert(split.firstEntry, at: index)
            node.children.insert(split, at: index + 1)
        }
        return (node.splitIfFull(), isNew)
    }

    private func splitIfFull() -> KeyNode? {
        guard entries.count > Self.entryCountMax else { return nil }
        let middle = entries.count / 2
        if isLeaf {
            let right = KeyNode(ContiguousArray(entries[middle...]), [])
            entries.removeSubrange(middle...)
            return right
        }
        // The entry in the middle separates the halves and belongs to neither.
        let right = KeyNode(
            ContiguousArray(entries[(middle + 1)...]), ContiguousArray(children[(middle + 1)...]))
        entries.removeSubrange(middle...)
        children.removeSubrange((middle + 1)...)
        return right
    }

    /// Removes an entry that is below `node`.
    static func remove(_ key: ByteString, _ id: RecordID, from node: inout KeyNode) {
        makeUnique(&node)
        if node.isLeaf {
            node.entries.remove(at: node.lowerIndex(of: key, id))
            return
        }
        let index = node.childIndex(of: key, id)
        remove(key, id, from: &node.children[index])
        if node.children[index].entries.count < entryCountMin { node.mergeChild(at: index) }
    }

    /// Joins a child that has become small with a neighbour, if both fit into one.
    private func mergeChild(at index: Int) {
        guard children.count > 1 else { return }
        let left = index == 0 ? 0 : index - 1
        let (a, b) = (children[left], children[left + 1])
        let separators: ContiguousArray<KeyEntry> = a.isLeaf ? [] : [entries[left]]
        let joined = a.entries + separators + b.entries
        // Room is left, or the next insertion would split it again. An empty leaf must go.
        let isWorthIt = joined.count <= Self.entryCountMax * 3 / 4
        guard isWorthIt || children[index].entries.isEmpty else { return }
        children[left] = KeyNode(joined, a.children + b.children)
        children.remove(at: left + 1)
        entries.remove(at: left)
    }
}

// MARK: - Scanning

extension KeyNode {
    /// Returns whether `body` wants to see more.
    func scanUp(
        _ lower: KeyTree.Bound?, _ upper: KeyTree.Bound?,
        _ body: (ByteString, Row) throws -> Bool
    ) rethrows -> Bool {
        let first = start(lower)
        if isLeaf {
            for entry in entries[first...] {
                if Self.isBeyond(entry.key, upper) { return false }
                if try !body(entry.key, entry.row) { return false }
            }
            return true
        }
        for index in first..<children.count {
            if index > first, Self.isBeyond(entries[index - 1].key, upper) { return false }
            let bound = index == first ? lower : nil
            if try !children[index].scanUp(bound, upper, body) { return false }
        }
        return true
    }

    /// Returns whether `body` wants to see more.
    func scanDown(
        _ lower: KeyTree.Bound?, _ upper: KeyTree.Bound?,
        _ body: (ByteString, Row) throws -> Bool
    ) rethrows -> Bool {
        let end = end(upper)
        if isLeaf {
            for entry in entries[..<end].reversed() {
                if Self.isBelow(entry.key, lower) { return false }
                if try !body(entry.key, entry.row) { return false }
            }
            return true
        }
        for index in (0...end).reversed() {
            let bound = index == end ? upper : nil
            if try !children[index].scanDown(lower, bound, body) { return false }
            if index > 0, Self.isBelow(entries[index - 1].key, lower) { return false }
        }
        return true
    }

    /// The first entry or child that may lie within the lower bound.
    private func start(_ lower: KeyTree.Bound?) -> Int {
        guard let lower else { return 0 }
        return index { entry in
            lower.isInclusive ? entry.key < lower.key : entry.key <= lower.key
        }
    }

    /// The end of the entries, or the last child, that may lie within the upper bound.
    private func end(_ upper: KeyTree.Bound?) -> Int {
        guard let upper else { return entries.count }
        return index { entry in
            upper.isInclusive ? entry.key <= upper.key : entry.key < upper.key
        }
    }

    private static func isBeyond(_ key: ByteString, _ upper: KeyTree.Bound?) -> Bool {
        guard let upper else { return false }
        return upper.isInclusive ? key > upper.key : key >= upper.key
    }

    private static func isBelow(_ key: ByteString, _ lower: KeyTree.Bound?) -> Bool {
        guard let lower else { return false }
        return lower.isInclusive ? key < lower.key : key <= lower.key
    }
}
