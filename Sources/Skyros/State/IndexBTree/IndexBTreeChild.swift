extension IndexBTree {
    /// What divides two children of a branch: a key, and an id if that key is in both.
    struct Separator {
        let key: ByteString
        /// Entries with this key and a lesser id are in the first child; nil if it has none with
        /// this key.
        let id: RecordID?

        /// Less than all others.
        static let lowest = Separator(key: ByteString([]), id: nil)

        /// The shortest separator of two leaves.
        static func between(_ left: NodeView, _ right: NodeView) -> Separator {
            left.withKey(at: left.count - 1) { last in
                right.withKey(at: 0) { first in
                    let sharedCount = last.commonPrefixCount(first)
                    guard sharedCount < first.count else {
                        let id = right.rows[0]._withUnsafeGuaranteedRef { $0.id }
                        return Separator(key: ByteString(first), id: id)
                    }
                    let key = UnsafeRawBufferPointer(rebasing: first[...sharedCount])
                    return Separator(key: ByteString(key), id: nil)
                }
            }
        }
    }

    /// A node that will be inserted into a branch, which takes over the reference, with the
    /// separator from the child before it.
    ///
    /// - Note: `@unchecked` because of the node: a child is owned by one thread at a time, which
    ///   hands it over with the only reference to the node.
    struct Child: @unchecked Sendable {
        let separator: Separator
        let node: IndexBTreeNode
    }
}

extension IndexBTreeNode {
    /// A branch over children of the same height, at least one, which it takes over; the first
    /// separator is unused.
    static func branch(
        over children: ArraySlice<IndexBTree.Child>, in memory: NodeArena
    ) -> IndexBTreeNode {
        let keys = children.dropFirst().map(\.separator.key)
        let (lowest, highest) = (keys.first ?? ByteString([]), keys.last ?? ByteString([]))
        let node = lowest.withUnsafeBytes { lowest in
            highest.withUnsafeBytes { highest in
                make(
                    height: (children.first.map { NodeView($0.node).height } ?? 0) + 1,
                    keyCounts: keys.lazy.map(\.count),
                    lowest: lowest, highest: highest, in: memory)
            }
        }
        let view = NodeView(node)
        for child in children {
            if view.count == 0 {
                view.insertFirst(child.node)
            } else {
                child.separator.key.withUnsafeBytes { key in
                    view.insert(child.node, key, child.separator.id, at: view.count)
                }
            }
        }
        return node
    }

    /// A node without items, with heap space for keys of these sizes between two of them.
    static func make(
        height: Int, keyCounts: some Sequence<Int>, lowest: UnsafeRawBufferPointer,
        highest: UnsafeRawBufferPointer, in memory: NodeArena
    ) -> IndexBTreeNode {
        let sharedCount = lowest.commonPrefixCount(highest)
        let restBytes = keyCounts.reduce(0) { sum, count in
            sum + NodeView.restCount(keyCount: count, prefixCount: sharedCount)
        }
        return make(
            height: height, heapBytes: restBytes,
            prefix: UnsafeRawBufferPointer(rebasing: lowest.prefix(sharedCount)), in: memory)
    }
}
