// Reads page by page.

extension RecordSource where Self: ~Copyable {
    /// A page of a request: as many records as its limit says, after a cursor.
    ///
    ///     let request = FetchRequest<Order>(sortedBy: [.descending(\.createdAt)], limit: 50)
    ///     var page = try store.page(request)
    ///     while let next = page.next { page = try store.page(request, after: next) }
    ///
    /// Each record is in one page at most, and one that stays as it is in exactly one, whatever is
    /// inserted and deleted between the pages: a page begins after a record's sort values and id,
    /// not after a number of records. A record whose sort values change may move to another page.
    ///
    /// The offset counts in the first page only. A closure in the filter cannot be compared with
    /// the one of the request that gave the cursor: it must be the same.
    ///
    /// - Complexity: O(log n + records of the page) if an index has the order; otherwise each page
    ///   tests all rows that the filter's indexes find.
    /// - Throws: `StoreError` with `.invalidCursor` if the cursor is of a request with another
    ///   filter, sort or entity; `.invalidInput` for a limit below 1, or a sort by a sort
    ///   descriptor; what ``fetch(_:)`` throws.
    public func page<E: Entity>(
        _ request: FetchRequest<E>, after cursor: PageCursor? = nil
    ) throws -> Page<E> {
        try state(of: E.self).snapshot.page(of: request, after: cursor)
    }
}
