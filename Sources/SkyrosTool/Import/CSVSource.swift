import Skyros

/// The rows of a CSV file: a heading with the names of the fields, and a line for each record.
///
/// An empty cell is a field that the record does not have; an empty text is `""`.
struct CSVSource: ImportSource {
    let bytes: [UInt8]
    let separator: UInt8
    let entity: String
    /// The column that holds the id.
    let idField: String
    let names: FieldNames

    let guessedKinds: [FieldKind] = [.bool, .integer, .double, .uuid, .date]

    func forEachRow(_ body: (ImportRow) throws -> Void) throws {
        var reader = CSVReader(bytes, separator: separator)
        guard let (cells, _) = try reader.next() else {
            throw StoreError.input("line 1", "there is no heading")
        }
        let columns = cells.map { names.field($0.text) }
        try check(columns)
        while let (cells, line) = try reader.next() {
            guard cells.count == columns.count else {
                throw StoreError.input(
                    "line \(line)",
                    "it has \(cells.count) cells, and the heading has \(columns.count)")
            }
            let cellsWithValues = zip(columns, cells).filter { $1.isQuoted || !$1.text.isEmpty }
            let fields = NamedValues(cellsWithValues.map { ($0, FieldValue.text($1.text)) })
            guard let id = fields[idField] else {
                throw StoreError.input("line \(line)", "the cell of the id, \(idField), is empty")
            }
            try body(
                ImportRow(
                    entity: entity, id: id, fields: fields, idField: idField,
                    place: "line \(line)"))
        }
    }

    private func check(_ columns: [String]) throws {
        var seen: Set<String> = []
        for column in columns where !seen.insert(column).inserted {
            throw StoreError.input("line 1", "the heading has the column \(column) twice")
        }
        guard columns.contains(idField) else {
            let list = columns.joined(separator: ", ")
            throw StoreError.input(
                "line 1",
                "there is no column \(idField); name the column of the id with --id. The columns "
                    + "are \(list)")
        }
    }
}

/// The names that fields get, by those in the input.
struct FieldNames {
    let renamed: [String: String]

    func field(_ name: String) -> String { renamed[name] ?? name }
}
