/// Which records of an entity, by the stored names of its fields, in which order, and how many.
///
///     var request = RecordRequest("Person", where: RecordField("age") > 30)
///     request.sort = [.descending("age")]
///     let oldest = try store.snapshot.records(request)
///
/// Without a sort, records are in the order of their ids.
public struct RecordRequest: Sendable {
    /// The name under which the entity is stored.
    public var entity: String
    /// The condition that records must pass; nil for all records.
    public var filter: RecordFilter?
    /// The order; empty for the order of the ids.
    public var sort: [RecordSort]
    /// How many records to skip; a negative number counts as 0.
    public var offset: Int
    /// The maximum number of records: nil for all, 0 and less for none.
    public var limit: Int?

    /// A request for records of an entity.
    public init(
        _ entity: String, where filter: RecordFilter? = nil, sortedBy sort: [RecordSort] = [],
        offset: Int = 0, limit: Int? = nil
    ) {
        self.entity = entity
        self.filter = filter
        self.sort = sort
        self.offset = offset
        self.limit = limit
    }
}

extension RecordRequest {
    var skipCount: Int { max(0, offset) }

    var countMax: Int { max(0, limit ?? .max) }

    /// The names of all fields in filter and sort.
    var fields: [String] { (filter?.comparisons.map(\.field) ?? []) + sort.map(\.field) }

    var question: QueryPlan.Question {
        QueryPlan.Question(
            requirement: filter?.requirement ?? .all([]),
            sort: sort.map { .init(field: .stored($0.field), isAscending: $0.isAscending) })
    }

    /// The hash of what the request asks for, without limit and offset.
    var signature: UInt64 {
        let keys = sort.map { ($0.isAscending ? "+" : "-") + $0.field }.joined(separator: ",")
        return PageCursor.hash("\(entity)|\(keys)|\(filter?.signature ?? "")")
    }
}
