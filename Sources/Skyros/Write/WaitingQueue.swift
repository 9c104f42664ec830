/// A first-in, first-out queue. Amortised O(1): the array is compacted when half of it was
/// removed, so it does not grow while elements keep coming.
struct WaitingQueue<Element> {
    private var elements: [Element?] = []
    /// The position of the first element; earlier ones have been removed.
    private var start = 0

    var count: Int { elements.count - start }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func removeFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            elements[start] = nil
            start += 1
            compact()
        }
        return elements[start]
    }

    /// The position of the first element for which `isMeant` returns true. O(n).
    func firstPosition(where isMeant: (Element) -> Bool) -> Int? {
        (0..<count).first { position in elements[start + position].map(isMeant) ?? false }
    }

    /// The position of the last element for which `isMeant` returns true. O(n).
    func lastPosition(where isMeant: (Element) -> Bool) -> Int? {
        (0..<count).last { position in elements[start + position].map(isMeant) ?? false }
    }

    subscript(position: Int) -> Element? { elements[start + position] }

    /// Removes the element at `position`. O(n), O(1) for the first.
    mutating func remove(at position: Int) {
        if position == 0 {
            _ = removeFirst()
        } else {
            elements.remove(at: start + position)
        }
    }

    private mutating func compact() {
        guard start * 2 >= elements.count else { return }
        elements.removeFirst(start)
        start = 0
    }
}

extension WaitingQueue: Sendable where Element: Sendable {}
