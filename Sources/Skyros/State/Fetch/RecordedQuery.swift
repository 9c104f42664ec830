/// A query whose answer may have to be compared with a later state.
protocol RecordedQuery: Sendable {
    /// The index of the table that was read.
    var table: Int { get }

    /// Whether the answer may change when one row takes the place of another; nil is none.
    func isAffected(by before: Row?, _ after: Row?) -> Bool
}

/// A fetch, or a count, with the part of the request's order that it has read.
struct RecordedFetch<E: Entity>: RecordedQuery {
    enum Answer: Sendable {
        /// The records, up to the last one if the limit was reached; all that pass otherwise.
        case records(last: (value: E, id: RecordID)?)
        /// Which records pass, whatever else is in them.
        case membership
    }

    let table: Int
    let request: FetchRequest<E>
    let answer: Answer

    /// A fetch that has returned these values, of rows with these ids.
    init(
        _ request: FetchRequest<E>, returning found: [(value: E, id: RecordID)],
        inTableAt table: Int
    ) {
        // Rows after a full page do not change it.
        let isFull = request.limit != nil && found.count == request.countMax
        self.init(request.resolved, .records(last: isFull ? found.last : nil), inTableAt: table)
    }

    init(_ request: FetchRequest<E>, _ answer: Answer, inTableAt table: Int) {
        (self.table, self.request, self.answer) = (table, request, answer)
    }

    func isAffected(by before: Row?, _ after: Row?) -> Bool {
        do {
            let (old, new) = (try isRead(before), try isRead(after))
            if case .membership = answer { return old != new }
            return old || new
        } catch {
            return true
        }
    }

    /// Whether a row passes the filter, and is not after the part that was read.
    private func isRead(_ row: Row?) throws -> Bool {
        guard let row else { return false }
        let value = try row.value(as: E.self)
        guard try request.filter?.matches(value) ?? true else { return false }
        guard case .records(let last?) = answer else { return true }
        return !request.precedes(last, (value, row.id))
    }
}
