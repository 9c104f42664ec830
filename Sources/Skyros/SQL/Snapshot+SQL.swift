import Foundation

/// What a SQL query gave.
public struct SQLResult: Sendable {
    /// The names of the columns.
    public let columns: [String]
    /// The rows; each has one value a column.
    public let rows: [[FieldValue]]

    /// All rows that a statement gives.
    init(of sql: String, in database: SnapshotDatabase) throws {
        var columns: [String] = []
        var rows: [[FieldValue]] = []
        try database.run(sql, { columns = $0 }, { rows.append($0) })
        self.columns = columns
        self.rows = rows
    }

    /// Whether the first value of the answer is neither 0 nor empty, and there is one: that of
    /// `SELECT sum(cents) = 0 FROM Posting`, say.
    public var isTrue: Bool { rows.first?.first?.isTrueInSQL ?? false }
}

extension FieldValue {
    /// Whether a value that SQL gives is neither 0 nor empty.
    package var isTrueInSQL: Bool {
        switch self {
        case .null: false
        case .integer(let number): number != 0
        case .double(let number): number != 0
        case .text(let text): !text.isEmpty
        default: true
        }
    }
}

extension Snapshot {
    /// Runs a SQL query over the records: one table an entity, with the columns of the checkpoint,
    /// and dates as text in ISO 8601.
    ///
    ///     let result = try store.snapshot.query("SELECT count(*) FROM Customer")
    ///
    /// The tables are virtual: SQLite reads the records where they are, and uses the indexes of the
    /// entities. `Archive.query` has the log as tables too.
    ///
    /// - Complexity: O(records) to find their columns, and the query.
    /// - Throws: `StoreError` with `.invalidInput` if the text is no query that reads only.
    public func query(_ sql: String) throws -> SQLResult {
        try SQLResult(of: sql, in: SnapshotDatabase(self, try layout(), log: nil))
    }

    /// The tables and columns of the records.
    private func layout() throws -> TableLayout {
        var collector = LayoutCollector()
        try note(in: &collector)
        return collector.layout
    }

    /// Notes the tables and columns of the records.
    func note(in collector: inout LayoutCollector) throws {
        do {
            for table in tables.sorted(byName: \.entity) {
                collector.note(table: table.entity)
                let rows = table.rows.all().map { $0.takeUnretainedValue() }
                for row in rows.sorted(by: { $0.number < $1.number }) {
                    try collector.note(table.bytes(of: row), of: table.entity)
                }
            }
        } catch let error as CBORError {
            throw StoreError(
                .notDecodable, "a record is not canonical; run `skyros verify`",
                cause: error.description)
        }
    }
}
