/// The plan of a request: the rows to read, and their order.
struct QueryPlan: Sendable {
    /// A range of an index.
    struct IndexRange: Sendable, Equatable {
        let index: Int
        /// Keys from this one on, this one included; nil from the first.
        let lower: ByteString?
        /// Keys up to this one, this one not included; nil to the last.
        let upper: ByteString?
        let isReversed: Bool
        /// The beginning of all keys in the range: what equalities fix.
        let prefix: ByteString
    }

    /// Rows of several ranges and of ids, in no particular order.
    struct Union: Sendable {
        let ranges: [IndexRange]
        let ids: [RecordID]
        /// Whether a row can be in two of the parts, and must be read once. An index with several
        /// entries for a record makes this true for a single range, too.
        let mayRepeat: Bool
    }

    /// The rows to read.
    enum Access: Sendable {
        case scan
        case range(IndexRange)
        case union(Union)
    }

    let access: Access
    /// Whether the rows are in the requested order.
    let isSorted: Bool
    /// Whether every row that is read passes the filter, so that no value needs to be read.
    let isExact: Bool

    /// The range, if a single one is read.
    var range: IndexRange? {
        if case .range(let range) = access { range } else { nil }
    }
}

extension QueryPlan {
    /// The filter and the order of a request.
    struct Question {
        let requirement: Requirement
        let sort: [Key]

        /// A key of the requested order.
        struct Key {
            /// The field, if an index can give the order.
            let field: FieldReference?
            let isAscending: Bool
        }
    }

    /// The plan that reads all rows.
    static func fullScan(_ question: Question) -> QueryPlan {
        QueryPlan(
            access: .scan, isSorted: question.sort.isEmpty,
            isExact: question.requirement.isAlwaysTrue)
    }
}
