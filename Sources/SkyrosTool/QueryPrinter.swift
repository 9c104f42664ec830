import Skyros

/// Prints the answer of a query: as a table, or as JSON, one object a row.
struct QueryPrinter {
    let output: Output
    let isJSON: Bool

    /// Runs the query and prints its answer.
    ///
    /// - Throws: as `SnapshotDatabase.run(_:_:_:)`, and if nothing can be printed.
    func print(_ sql: String, in database: SnapshotDatabase) throws {
        var columns: [String] = []
        var rows: [[String]] = []
        try database.run(sql) { names in
            columns = names
        } _: { values in
            if isJSON {
                // Of columns with one name, the first counts.
                let pairs = Array(zip(columns, values)).reversed().map { ($0, Optional($1)) }
                try output.json(NamedValues(pairs))
            } else {
                rows.append(values.map(Self.cell))
            }
        }
        if !isJSON { try output.table([columns] + rows) }
    }

    private static func cell(_ value: FieldValue) -> String {
        if case .text(let text) = value { return text }
        return value == .null ? "" : value.jsonText()
    }
}
