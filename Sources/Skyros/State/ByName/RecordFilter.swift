/// A condition on records of any entity, by the stored names of their fields.
///
///     RecordField("lastname") == "Doe" && RecordField("age") > 30
///     RecordField("city").in(["Athens", "Skyros"]) || !RecordField("name").hasPrefix("A")
///
/// Values are those that are stored. Texts are compared as in Swift, numbers by value whatever
/// their types, dates, UUIDs and bytes among themselves. A field that a record lacks is null; null
/// equals null only, and nothing else compares with it. Indexes are used as in typed filters.
public struct RecordFilter: Sendable {
    indirect enum Node: Sendable {
        case comparison(StoredComparison)
        case and(Node, Node)
        case or(Node, Node)
        case not(Node)
        case test(@Sendable (Record) throws -> Bool)
    }

    let root: Node

    init(_ root: Node) {
        self.root = root
    }

    /// The records for which a closure is true. No index helps.
    public static func test(_ test: @escaping @Sendable (Record) throws -> Bool) -> RecordFilter {
        RecordFilter(.test(test))
    }

    /// The records that pass both filters.
    public static func && (a: RecordFilter, b: RecordFilter) -> RecordFilter {
        RecordFilter(.and(a.root, b.root))
    }

    /// The records that pass at least one of the filters.
    public static func || (a: RecordFilter, b: RecordFilter) -> RecordFilter {
        RecordFilter(.or(a.root, b.root))
    }

    /// The records that do not pass the filter.
    public static prefix func ! (a: RecordFilter) -> RecordFilter {
        RecordFilter(.not(a.root))
    }

    /// Whether a record passes.
    ///
    /// - Throws: what a closure throws.
    public func matches(_ record: Record) throws -> Bool {
        try Self.matches(record.fields.bytes, root) { record }
    }
}

extension RecordFilter {
    /// Whether a row of a table passes.
    ///
    /// - Throws: what a closure throws; `StoreError` with `.evolutionFailed`.
    func matches(_ row: Row, in table: Table) throws -> Bool {
        let record = try table.record(row)
        return try matches(record)
    }

    private static func matches(
        _ bytes: [UInt8], _ node: Node, _ record: () -> Record
    ) throws -> Bool {
        switch node {
        case .comparison(let comparison): try comparison.matches(bytes)
        case .and(let a, let b): try matches(bytes, a, record) && matches(bytes, b, record)
        case .or(let a, let b): try matches(bytes, a, record) || matches(bytes, b, record)
        case .not(let a): try !matches(bytes, a, record)
        case .test(let test): try test(record())
        }
    }

    /// All comparisons in the filter.
    var comparisons: [StoredComparison] { Self.comparisons(in: root) }

    private static func comparisons(in node: Node) -> [StoredComparison] {
        switch node {
        case .comparison(let comparison): [comparison]
        case .and(let a, let b), .or(let a, let b): comparisons(in: a) + comparisons(in: b)
        case .not(let a): comparisons(in: a)
        case .test: []
        }
    }

    /// What an index can know of the filter.
    var requirement: Requirement { Self.requirement(of: root) }

    private static func requirement(of node: Node) -> Requirement {
        switch node {
        case .comparison(let comparison): comparison.requirement
        case .and(let a, let b): .all([requirement(of: a), requirement(of: b)])
        case .or(let a, let b): .any([requirement(of: a), requirement(of: b)])
        case .not(let a): requirement(of: a).negated
        case .test: .unknown
        }
    }

    /// The filter in words, see `RequestSignature`.
    var signature: String { Self.signature(of: root) }

    private static func signature(of node: Node) -> String {
        switch node {
        case .comparison(let comparison):
            let values = comparison.operands.map { operand in
                (try? operand.value?.encoded()).map { RequestSignature.hexadecimal($0) } ?? "?"
            }
            return "\(comparison.field) \(comparison.operation.rawValue) \(values)"
        case .and(let a, let b): return "(\(signature(of: a)) & \(signature(of: b)))"
        case .or(let a, let b): return "(\(signature(of: a)) | \(signature(of: b)))"
        case .not(let a): return "!\(signature(of: a))"
        case .test: return "test"
        }
    }
}
