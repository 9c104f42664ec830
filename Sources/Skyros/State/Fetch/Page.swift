/// A page of the answer to a request, and where the next one begins.
public struct Page<Item: Sendable>: Sendable {
    /// The records of the page, in the request's order.
    public let items: [Item]
    /// The position after the page; nil if no further record passed when the page was read.
    public let next: PageCursor?

    /// A page of these items.
    public init(items: [Item], next: PageCursor?) {
        self.items = items
        self.next = next
    }
}

extension Page: Equatable where Item: Equatable {}
extension Page: Hashable where Item: Hashable {}
