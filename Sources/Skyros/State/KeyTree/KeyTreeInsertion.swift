/// How an entry gets into a `KeyTree`.
struct KeyTreeInsertion {
    typealias Slot = UnsafeMutablePointer<KeyTreeNode>

    /// The second half of a node that was divided, to be put behind the first.
    private struct Split {
        let separator: KeyTreeBranch.Separator
        let node: KeyTreeNode
    }

    private let key: ByteString
    private let row: Row
    private var replaced: Row?

    /// Adds an entry, and returns the row that was under the same key and id until now, if any.
    static func insert(
        key: ByteString, row: Row, atRoot root: UnsafeMutablePointer<KeyTreeNode?>
    ) -> Row? {
        if root.pointee == nil { root.pointee = KeyTreeLeaf.make(capacity: 1) }
        var insertion = KeyTreeInsertion(key: key, row: row)
        let split = root.withMemoryRebound(to: KeyTreeNode.self, capacity: 1) { slot in
            insertion.insert(at: slot, isLast: true)
        }
        if let split, let left = root.pointee {
            let height = Unmanaged.passUnretained(left).height + 1
            let node = KeyTreeBranch.make(height: height, capacity: 2)
            let branch = KeyTreeBranch(Unmanaged.passUnretained(node))
            branch.append(left, behind: nil)
            branch.append(split.node, behind: split.separator)
            root.pointee = node
        }
        return insertion.replaced
    }

    /// - Parameter isLast: Whether no node of the same height comes after this one.
    private mutating func insert(at slot: Slot, isLast: Bool) -> Split? {
        let node = KeyTreeNode.makeUnique(slot)
        if node.isLeaf { return insertIntoLeaf(at: slot, isLast: isLast) }

        let branch = KeyTreeBranch(node)
        let index = branch.childIndex(for: key, row.id)
        let isLastChild = isLast && index == branch.count - 1
        guard let split = insert(at: branch.children + index, isLast: isLastChild) else {
            return nil
        }
        return add(split, at: index + 1, ofBranchAt: slot)
    }

    private mutating func insertIntoLeaf(at slot: Slot, isLast: Bool) -> Split? {
        let leaf = KeyTreeLeaf(Unmanaged.passUnretained(slot.pointee))
        let index = leaf.index(for: key, row.id)
        if leaf.holds(key, row.id, at: index) {
            replaced = leaf.entries[index].replaceRow(by: row)
            return nil
        }
        let entry = KeyTree.Entry(key: key, row: row)
        if leaf.count < leaf.capacity {
            leaf.insert(entry, at: index)
            return nil
        }
        if leaf.count < KeyTreeLeaf.entriesMax {
            slot.pointee = leaf.moved(capacity: leaf.count + 1)
            KeyTreeLeaf(Unmanaged.passUnretained(slot.pointee)).insert(entry, at: index)
            return nil
        }
        // Keys that only ever grow leave full leaves behind, not half full ones.
        let middle = isLast && index == leaf.count ? leaf.count : leaf.count / 2
        return split(slot, at: middle, inserting: entry, at: index)
    }

    /// Moves the entries of a full leaf from `middle` on to a new one, and adds `entry`.
    private func split(
        _ slot: Slot, at middle: Int, inserting entry: KeyTree.Entry, at index: Int
    ) -> Split {
        let leaf = KeyTreeLeaf(Unmanaged.passUnretained(slot.pointee))
        let node = KeyTreeLeaf.make(capacity: leaf.count - middle + 1)
        let right = KeyTreeLeaf(Unmanaged.passUnretained(node))
        leaf.moveTail(from: middle, to: right)
        if index < middle || (index == middle && right.count > 0) {
            leaf.insert(entry, at: index)
        } else {
            right.insert(entry, at: index - middle)
        }
        if middle < KeyTreeLeaf.entriesMax { slot.pointee = leaf.moved(capacity: leaf.count) }
        let first = right.entries[0]
        return Split(
            separator: KeyTreeBranch.Separator(key: first.key, id: first.row.id), node: node)
    }

    private func add(_ split: Split, at index: Int, ofBranchAt slot: Slot) -> Split? {
        var branch = KeyTreeBranch(Unmanaged.passUnretained(slot.pointee))
        if branch.count < KeyTreeBranch.childrenMax {
            if branch.count == branch.capacity {
                slot.pointee = branch.moved(capacity: branch.count + 1)
                branch = KeyTreeBranch(Unmanaged.passUnretained(slot.pointee))
            }
            branch.insert(split.node, behind: split.separator, at: index)
            return nil
        }
        let middle = branch.count / 2
        let node = KeyTreeBranch.make(height: branch.height, capacity: branch.count - middle + 1)
        let right = KeyTreeBranch(Unmanaged.passUnretained(node))
        guard let separator = branch.moveTail(from: middle, to: right, separator: nil) else {
            preconditionFailure("a full branch keeps its first half")
        }
        if index <= middle {
            branch.insert(split.node, behind: split.separator, at: index)
        } else {
            right.insert(split.node, behind: split.separator, at: index - middle)
        }
        return Split(separator: separator, node: node)
    }
}

extension KeyTreeInsertion {
    private init(key: ByteString, row: Row) {
        self.key = key
        self.row = row
        replaced = nil
    }
}
