/// The items of a node, or of two neighbours, from which new nodes are built: to split a node, to
/// give it a larger heap or a shorter prefix, to merge or balance two.
///
/// The references move into the new nodes: each item goes into one of them, then the caller calls
/// `forget`.
struct NodeRebuild {
    private let first: NodeView
    private let second: NodeView?

    /// The separator of the two nodes, if they are branches.
    private let separator: IndexBTree.Separator?

    init(
        _ first: NodeView, _ second: NodeView? = nil,
        dividedBy separator: IndexBTree.Separator? = nil
    ) {
        self.first = first
        self.second = second
        self.separator = separator
    }

    var count: Int { first.count + (second?.count ?? 0) }

    private var isLeaf: Bool { first.isLeaf }

    /// A new node with the items of a range.
    ///
    /// - Parameter newKey: A further key for which the node gets space.
    func node(
        _ range: Range<Int>, newKey: UnsafeRawBufferPointer? = nil, in memory: NodeArena
    ) -> IndexBTreeNode {
        let keyed = range.dropFirst(isLeaf ? 0 : 1)
        return withPrefix(of: keyed, newKey) { prefix in
            var restBytes = 0
            for index in keyed {
                let (view, place) = locate(index)
                let keyCount = isJoint(index) ? separatorCount : view.keyCount(at: place)
                restBytes += NodeView.restCount(
                    keyCount: keyCount, prefixCount: prefix.count)
            }
            var heapBytes = restBytes
            if let newKey {
                // Space for half as many more, of the same average size, so that a node is rebuilt
                // a few times until it is full and not after every few items.
                let added = min(max(8, range.count / 2), IndexBTreeNode.itemsMax - range.count)
                heapBytes += NodeView.restCount(
                    keyCount: newKey.count, prefixCount: prefix.count)
                heapBytes += restBytes * added / max(1, range.count)
            }
            let node = IndexBTreeNode.make(
                height: first.height, heapBytes: heapBytes, prefix: prefix, in: memory)
            let target = NodeView(node)
            if second == nil, prefix.count >= first.prefixCount {
                target.fill(with: range, of: first)
            } else {
                for index in range { append(index, to: target) }
            }
            return node
        }
    }

    /// The key and id of the item at `index`, which has them.
    func separator(at index: Int) -> IndexBTree.Separator {
        if isJoint(index), let separator { return separator }
        let (view, place) = locate(index)
        if isLeaf {
            let id = view.rows[place]._withUnsafeGuaranteedRef { $0.id }
            return IndexBTree.Separator(key: view.key(at: place), id: id)
        }
        return IndexBTree.Separator(key: view.key(at: place), id: view.ids[place])
    }

    /// Makes the old nodes forget the references, which have moved.
    func forget() {
        first.forgetAll()
        second?.forgetAll()
    }

    private var separatorCount: Int { separator?.key.count ?? 0 }

    private func locate(_ index: Int) -> (view: NodeView, place: Int) {
        guard let second, index >= first.count else { return (first, index) }
        return (second, index - first.count)
    }

    /// Whether the item is the first child of the second branch, whose separator is the parent's.
    private func isJoint(_ index: Int) -> Bool {
        !isLeaf && second != nil && index == first.count
    }

    private func withKey<R>(at index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        if isJoint(index), let separator { return separator.key.withUnsafeBytes(body) }
        let (view, place) = locate(index)
        return view.withKey(at: place, body)
    }

    private func append(_ index: Int, to target: NodeView) {
        let (view, place) = locate(index)
        if isLeaf {
            view.withKey(at: place) { key in
                target.insert(view.rows[place], key, at: target.count)
            }
        } else if target.count == 0 {
            target.insertFirst(view.children[place])
        } else {
            let id = isJoint(index) ? separator?.id : view.ids[place]
            withKey(at: index) { key in
                target.insert(view.children[place], key, id, at: target.count)
            }
        }
    }

    /// Calls `body` with the common prefix of the keys of a range and the new one.
    private func withPrefix<R>(
        of range: Range<Int>, _ newKey: UnsafeRawBufferPointer?,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        guard !range.isEmpty else {
            return body(newKey ?? UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return withKey(at: range.lowerBound) { lowest in
            let highestShared = withKey(at: range.upperBound - 1) {
                lowest.commonPrefixCount($0)
            }
            let newShared = newKey.map { lowest.commonPrefixCount($0) } ?? lowest.count
            return body(
                UnsafeRawBufferPointer(rebasing: lowest.prefix(min(highestShared, newShared))))
        }
    }

}
