/// Selects the first `countMax` of many elements in an order, without sorting all of them.
///
/// A max-heap holds the best elements so far; an element that does not precede its root costs one
/// comparison.
///
/// - Complexity: O(n + k log k log n) for k of n elements in no particular order, at most
///   O(n log k); memory for k elements.
struct BoundedSelection<Element> {
    private let countMax: Int
    private let precedes: (Element, Element) -> Bool
    /// A binary heap: no element is before one of its two children.
    private var heap: [Element] = []

    /// - Parameter precedes: a strict total order.
    init(_ countMax: Int, by precedes: @escaping (Element, Element) -> Bool) {
        self.countMax = countMax
        self.precedes = precedes
    }

    /// Whether this element would be selected if there were no further ones. One comparison.
    func admits(_ element: Element) -> Bool {
        guard heap.count == countMax else { return true }
        return countMax > 0 && precedes(element, heap[0])
    }

    /// Adds an element that `admits` has just admitted. O(log k).
    mutating func add(_ element: Element) {
        if heap.count < countMax {
            heap.append(element)
            siftUp(from: heap.count - 1)
        } else {
            heap[0] = element
            siftDown(from: 0)
        }
    }

    /// The selected elements in order. O(k log k).
    func sorted() -> [Element] {
        heap.sorted(by: precedes)
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(heap[parent], heap[child]) else { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if precedes(heap[last], heap[child]) { last = child }
            }
            if last == parent { return }
            heap.swapAt(last, parent)
            parent = last
        }
    }
}
