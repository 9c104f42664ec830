/// Access to a leaf of a `KeyTree`: entries in order. Valid while somebody holds the node.
struct KeyTreeLeaf {
    typealias Entry = KeyTree.Entry

    static let entriesMax = 64

    /// A leaf with fewer entries is merged with its neighbour, or gets some of the neighbour's.
    static let entriesMin = entriesMax / 4

    /// Merged leaves hold no more than this, so that the next insertion does not split them again.
    static let mergedEntriesMax = entriesMax * 3 / 4

    private static let capacityStep = 8

    private let header: UnsafeMutablePointer<KeyTreeHeader>
    let entries: UnsafeMutablePointer<Entry>

    init(_ node: Unmanaged<KeyTreeNode>) {
        let parts = node.parts
        header = parts.header
        entries = parts.tail.assumingMemoryBound(to: Entry.self)
    }

    /// A leaf without entries, whose capacity is at least `capacity`.
    static func make(capacity: Int) -> KeyTreeNode {
        let rounded = (capacity + capacityStep - 1) / capacityStep * capacityStep
        return KeyTreeNode.make(
            height: 0, capacity: rounded, bytesPerPlace: MemoryLayout<Entry>.stride)
    }

    var count: Int { Int(header.pointee.count) }
    var capacity: Int { Int(header.pointee.capacity) }

    /// The place of the first entry that is not in front of this one.
    func index(for key: ByteString, _ id: RecordID) -> Int {
        KeyTreeNode.partition(count) { index in
            if entries[index].key < key { return true }
            return entries[index].key == key && entries[index].row.id < id
        }
    }

    /// The place between the entries in front of a bound and the others.
    ///
    /// - Parameter isAfterKey: Whether the entries with exactly this key are in front of it.
    func index(at key: ByteString, isAfterKey: Bool) -> Int {
        if isAfterKey { return KeyTreeNode.partition(count) { !(key < entries[$0].key) } }
        return KeyTreeNode.partition(count) { entries[$0].key < key }
    }

    /// Whether the entry at `index`, if there is one, has this key and id.
    func holds(_ key: ByteString, _ id: RecordID, at index: Int) -> Bool {
        index < count && entries[index].key == key && entries[index].row.id == id
    }

    /// Puts an entry into a leaf with room for it.
    func insert(_ entry: Entry, at index: Int) {
        let place = entries + index
        (place + 1).moveInitialize(from: place, count: count - index)
        place.initialize(to: entry)
        header.pointee.count += 1
    }

    func remove(at index: Int) {
        let place = entries + index
        place.deinitialize(count: 1)
        place.moveInitialize(from: place + 1, count: count - index - 1)
        header.pointee.count -= 1
    }

    /// Moves the entries from `index` on to the front of `target`, which has room for them.
    func moveTail(from index: Int, to target: KeyTreeLeaf) {
        let moved = count - index
        (target.entries + moved).moveInitialize(from: target.entries, count: target.count)
        target.entries.moveInitialize(from: entries + index, count: moved)
        target.header.pointee.count += Int32(moved)
        header.pointee.count = Int32(index)
    }

    /// Moves the first `moved` entries to the end of `target`, which has room for them.
    func moveHead(_ moved: Int, to target: KeyTreeLeaf) {
        (target.entries + target.count).moveInitialize(from: entries, count: moved)
        entries.moveInitialize(from: entries + moved, count: count - moved)
        target.header.pointee.count += Int32(moved)
        header.pointee.count -= Int32(moved)
    }

    /// The same entries in a new leaf of the given capacity, which takes them over.
    func moved(capacity: Int) -> KeyTreeNode {
        let node = Self.make(capacity: capacity)
        moveTail(from: 0, to: KeyTreeLeaf(Unmanaged.passUnretained(node)))
        return node
    }

    /// The same entries in a new leaf with room for one more, unless that one would split it.
    func copy() -> KeyTreeNode {
        let node = Self.make(capacity: min(count + 1, Self.entriesMax))
        let target = KeyTreeLeaf(Unmanaged.passUnretained(node))
        // One by one: `initialize(from:count:)` goes through value witnesses.
        for index in 0..<count { (target.entries + index).initialize(to: entries[index]) }
        target.header.pointee.count = header.pointee.count
        return node
    }

    func releaseEntries() {
        for index in 0..<count { (entries + index).deinitialize(count: 1) }
    }
}
