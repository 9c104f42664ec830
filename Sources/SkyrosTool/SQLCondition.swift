import Skyros

/// A condition on a state, in SQL.
struct SQLCondition {
    /// Whether it holds as long as the answer is empty, or as long as the answer is true.
    private enum Kind {
        case isEmpty, isTrue
    }

    let sql: String
    private let kind: Kind

    /// The conditions in the arguments of a command: queries, and options `--violates`.
    static func list(in arguments: Arguments) -> [SQLCondition] {
        arguments.rest.map { SQLCondition(sql: $0, kind: .isTrue) }
            + arguments.texts("violates").map { SQLCondition(sql: $0, kind: .isEmpty) }
    }

    /// Whether it holds in a state.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the query does not fit the state.
    func holds(in database: SnapshotDatabase) throws -> Bool {
        let row = try Self.firstRow(of: sql, in: database)
        switch kind {
        case .isEmpty: return row == nil
        case .isTrue: return row?.first?.isTrueInSQL ?? false
        }
    }

    /// Ends a query whose further rows are not wanted.
    private struct Enough: Error {}

    private static func firstRow(
        of sql: String, in database: SnapshotDatabase
    ) throws -> [FieldValue]? {
        var first: [FieldValue]?
        do {
            try database.run(sql, { _ in }) { row in
                first = row
                throw Enough()
            }
        } catch is Enough {}
        return first
    }

    /// The expectation that it holds in `outcome`, as a line of a Swift test.
    var expectation: String {
        switch kind {
        case .isEmpty: "answer.rows.isEmpty"
        case .isTrue: "answer.isTrue"
        }
    }
}
