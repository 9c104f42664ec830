/// The live queries of one index by their ranges of keys: finds those whose range contains a key
/// without a scan of all.
///
/// An interval tree: a treap ordered by the lower ends, in which each node knows the greatest upper
/// end below it. The nodes are in one array, so the tree is a value.
///
/// - Complexity: adding and removing are O(log n), expected; finding is O(log n) and O(1) for each
///   range that is found where ranges do not overlap much, at most O(n).
///
/// Source: Cormen et al., "Introduction to Algorithms", section 14.3; Seidel and Aragon,
/// "Randomized Search Trees", 1996.
struct KeyRangeTree: Sendable {
    /// The position of a node; -1 for none.
    private typealias Link = Int
    private static let none: Link = -1

    private struct Node: Sendable {
        let range: KeyRange
        let number: UInt64
        /// Nil in a node that was removed.
        var inbox: LiveInbox?
        let priority: UInt64
        /// The greatest upper end in the subtree; nil if one of its ranges has none.
        var upperMax: ByteString?
        var left = KeyRangeTree.none
        var right = KeyRangeTree.none
    }

    private var nodes: [Node] = []
    private var root = none
    private var positions: [UInt64: Link] = [:]
    private var free: [Link] = []

    var isEmpty: Bool { positions.isEmpty }

    /// Adds the range of the inbox with this number, which must not be in the tree.
    mutating func insert(_ range: KeyRange, _ inbox: LiveInbox, number: UInt64) {
        let node = Node(
            range: range, number: number, inbox: inbox, priority: Self.mixed(number),
            upperMax: range.upper)
        let link: Link
        if let last = free.popLast() {
            link = last
            nodes[link] = node
        } else {
            link = nodes.count
            nodes.append(node)
        }
        positions[number] = link
        root = insert(link, below: root)
    }

    /// Removes the inbox with this number, if it is in the tree.
    mutating func remove(number: UInt64) {
        guard let link = positions.removeValue(forKey: number) else { return }
        root = remove(link, below: root)
        nodes[link].inbox = nil
        free.append(link)
    }

    /// Calls `body` with each inbox whose range contains the key.
    func forEach(containing key: ByteString, _ body: (LiveInbox) -> Void) {
        nodes.withUnsafeBufferPointer { Self.visit(root, of: $0, key, body) }
    }

    /// Calls `body` with every inbox. O(n).
    func forEach(_ body: (KeyRange, LiveInbox) -> Void) {
        for node in nodes {
            if let inbox = node.inbox { body(node.range, inbox) }
        }
    }

    private static func visit(
        _ link: Link, of nodes: UnsafeBufferPointer<Node>, _ key: ByteString,
        _ body: (LiveInbox) -> Void
    ) {
        guard link != none, isBefore(key, nodes[link].upperMax) else { return }
        visit(nodes[link].left, of: nodes, key, body)
        // All ranges on the right begin at the node's lower end or later.
        guard nodes[link].range.lower <= key else { return }
        if isBefore(key, nodes[link].range.upper), let inbox = nodes[link].inbox { body(inbox) }
        visit(nodes[link].right, of: nodes, key, body)
    }

    private static func isBefore(_ key: ByteString, _ upper: ByteString?) -> Bool {
        guard let upper else { return true }
        return key < upper
    }

    // MARK: The treap

    /// Pseudorandom bits of a number: the last step of splitmix64.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var bits = number &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    private func precedes(_ a: Link, _ b: Link) -> Bool {
        let (left, right) = (nodes[a].range.lower, nodes[b].range.lower)
        return left == right ? nodes[a].number < nodes[b].number : left < right
    }

    private mutating func updateUpperMax(_ link: Link) {
        var upper = nodes[link].range.upper
        for child in [nodes[link].left, nodes[link].right] where child != Self.none {
            guard let a = upper, let b = nodes[child].upperMax else {
                upper = nil
                break
            }
            upper = max(a, b)
        }
        nodes[link].upperMax = upper
    }

    private mutating func insert(_ new: Link, below top: Link) -> Link {
        guard top != Self.none else { return new }
        if nodes[new].priority > nodes[top].priority {
            (nodes[new].left, nodes[new].right) = split(top, before: new)
            updateUpperMax(new)
            return new
        }
        if precedes(new, top) {
            nodes[top].left = insert(new, below: nodes[top].left)
        } else {
            nodes[top].right = insert(new, below: nodes[top].right)
        }
        updateUpperMax(top)
        return top
    }

    /// Splits a subtree into the nodes before a node, and those after it.
    private mutating func split(_ top: Link, before new: Link) -> (Link, Link) {
        guard top != Self.none else { return (Self.none, Self.none) }
        if precedes(top, new) {
            let (before, after) = split(nodes[top].right, before: new)
            nodes[top].right = before
            updateUpperMax(top)
            return (top, after)
        }
        let (before, after) = split(nodes[top].left, before: new)
        nodes[top].left = after
        updateUpperMax(top)
        return (before, top)
    }

    private mutating func remove(_ old: Link, below top: Link) -> Link {
        if top == old { return merge(nodes[old].left, nodes[old].right) }
        precondition(top != Self.none, "A range in the tree is found by its lower end.")
        if precedes(old, top) {
            nodes[top].left = remove(old, below: nodes[top].left)
        } else {
            nodes[top].right = remove(old, below: nodes[top].right)
        }
        updateUpperMax(top)
        return top
    }

    /// Joins two subtrees; all nodes of the first precede those of the second.
    private mutating func merge(_ a: Link, _ b: Link) -> Link {
        guard a != Self.none else { return b }
        guard b != Self.none else { return a }
        if nodes[a].priority > nodes[b].priority {
            nodes[a].right = merge(nodes[a].right, b)
            updateUpperMax(a)
            return a
        }
        nodes[b].left = merge(a, nodes[b].left)
        updateUpperMax(b)
        return b
    }
}
