import Skyros

/// `skyros schema`: the tables and columns that SQL shows of the records.
struct SchemaCommand: Command {
    static let name = "schema"
    static let summary = "List the entities, their fields, and the tables and columns of SQL"
    static let usage = "STORE [--json]"
    static let details = """
        Lists every entity and field that the log ever held, in the order in which they first
        appeared, with their names in SQL and the kind of their first value; then the version of
        the shape of an entity that has evolved, and the steps that led to it, and whether each
        change of its records needs a reason.

          skyros schema Orders.skyros
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        archive.warnOfLostEvents()
        let tables = try archive.withBar { try archive.tables(progress: $0) }
        for table in tables {
            if arguments.isJSON {
                try output.json(json(table))
                continue
            }
            let isOwn = table.table.isSameName(as: table.entity)
            try output.line("\(table.entity)\(isOwn ? "" : "  (table \"\(table.table)\")")")
            for column in table.columns {
                let isOwn = column.name.isSameName(as: column.field)
                let name = isOwn ? "" : "  (column \"\(column.name)\")"
                try output.line("    \(column.field)  \(column.kind)\(name)")
            }
            for (version, steps) in table.schema?.steps ?? [] {
                try output.line("    version \(version): \(steps.joined(separator: ", "))")
            }
            if table.schema?.requiresReason ?? false {
                try output.line("    each change needs a reason")
            }
        }
        return true
    }

    private func json(_ table: TableSchema) -> NamedValues<FieldValue?> {
        let steps = (table.schema?.steps ?? []).map { version, steps in
            (String(version), FieldValue.array(steps.map { .text($0) }))
        }
        let columns = table.columns.map { column in
            FieldValue.map([
                "field": .text(column.field), "column": .text(column.name),
                "kind": .text(column.kind),
            ])
        }
        return [
            "entity": .text(table.entity), "table": .text(table.table), "columns": .array(columns),
            "version": table.schema.map { .integer(Int128($0.version)) },
            "steps": steps.isEmpty ? nil : .map(NamedValues(steps)),
            "requiresReason": table.schema?.requiresReason == true ? true : nil,
        ]
    }
}
