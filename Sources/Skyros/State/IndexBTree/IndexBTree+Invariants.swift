import SkyrosDisk
import Synchronization

/// The invariants of the structure, which are checked after each mutation under `InvariantChecks`.
extension IndexBTree {
    /// Stops the process if the mutation of this entry broke an invariant. O(log n); of many calls,
    /// some check the whole tree.
    func checkInvariants(near key: UnsafeRawBufferPointer, _ id: RecordID) {
        let isWhole = InvariantChecks.isWholeCheckDue(size: count)
        guard !isWhole, let root else { return checkAllInvariants() }
        var check = Check(near: (key, id))
        check.visit(NodeView(root), height: NodeView(root).height, isLast: true)
        InvariantChecks.require(check.broken, in: "an index tree")
    }

    /// Stops the process if the tree breaks an invariant. O(n).
    func checkAllInvariants() {
        InvariantChecks.require(brokenInvariant(), in: "an index tree")
    }

    /// The first invariant that the structure breaks, as a sentence; nil if none. O(n).
    func brokenInvariant() -> String? {
        guard let root else { return count == 0 ? nil : "a tree without nodes counts entries" }
        var check = Check()
        let view = NodeView(root)
        check.visit(view, height: view.height, isLast: true)
        let found = check.entriesFound
        check.expect(found == count, "the tree counts \(count) entries and has \(found)")
        return check.broken
    }

    /// One pass over a tree, or over the path to one entry.
    private struct Check {
        private(set) var broken: String?
        private(set) var entriesFound = 0
        private var previous: Separator?
        /// The entry to whose path the pass is restricted.
        private let near: (key: UnsafeRawBufferPointer, id: RecordID)?

        init(near: (UnsafeRawBufferPointer, RecordID)? = nil) {
            self.near = near
        }

        mutating func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
            if !holds, broken == nil { broken = sentence() }
        }

        /// - Parameter isLast: Whether the node is the last of its level; such nodes may be small.
        mutating func visit(
            _ view: NodeView, height: Int, isLast: Bool, low: Separator? = nil,
            high: Separator? = nil
        ) {
            let countMin = isLast ? (view.isLeaf ? 1 : 2) : IndexBTreeNode.dividedItemsMin
            expect(view.height == height, "a node is at the wrong height")
            expect(view.count >= countMin, "a node has too few items")
            expect(view.count <= IndexBTreeNode.itemsMax, "a node has too many items")
            let header = view.header
            expect(
                header.pointee.heapCount <= header.pointee.heapCapacity, "a node's heap is too full"
            )
            expect(
                header.pointee.referenceCount.load(ordering: .relaxed) > 0, "a node was released")
            guard broken == nil else { return }
            if view.isLeaf { return visitEntries(of: view, low: low, high: high) }
            let separators = NodeRebuild(view)
            var visited = 0..<view.count
            if let near {
                let index = view.childIndex(of: near.key, near.id)
                visited = index..<index + 1
            }
            for index in visited {
                let isLastChild = index == view.count - 1
                visit(
                    NodeView(view.children[index]), height: height - 1,
                    isLast: isLast && isLastChild,
                    low: index == 0 ? low : separators.separator(at: index),
                    high: isLastChild ? high : separators.separator(at: index + 1))
            }
        }

        private mutating func visitEntries(
            of view: NodeView, low: Separator?, high: Separator?
        ) {
            var visited = 0..<view.count
            if let near {
                // The entry and its neighbours.
                let index = view.place(of: near.key, near.id).index
                visited = max(0, index - 1)..<min(view.count, index + 2)
            }
            let entries = NodeRebuild(view)
            for index in visited {
                let entry = entries.separator(at: index)
                if let previous { expect(Self.isLess(previous, entry), "entries do not ascend") }
                if let low { expect(!Self.isLess(entry, low), "an entry is below its separator") }
                if let high { expect(Self.isLess(entry, high), "an entry is above its separator") }
                let id = view.rows[index]._withUnsafeGuaranteedRef { $0.id }
                let found = entry.key.withUnsafeBytes { view.place(of: $0, id) }
                expect(found.isFound && found.index == index, "an entry is not found")
                previous = entry
            }
            entriesFound += view.count
        }

        private static func isLess(_ a: Separator, _ b: Separator) -> Bool {
            guard a.key == b.key else { return a.key < b.key }
            guard let id = a.id, let other = b.id else { return a.id == nil && b.id != nil }
            return id < other
        }
    }
}
