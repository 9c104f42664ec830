import Foundation
import Skyros

/// `skyros import`: writes the records of a file into a store.
struct ImportCommand: Command {
    static let name = "import"
    static let summary = "Import CSV, JSON lines or a SQLite database"
    static let usage = """
        STORE FILE [--entity ENTITY] [--id FIELD] [--table TABLE[=ENTITY]] [--type FIELD=KIND] \
        [--rename NAME=FIELD] [--format csv|jsonl|sqlite] [--separator C] [--replace] [--check] \
        [--by ACTOR] [--because REASON] [--json]
        """
    static let details = """
          --entity ENTITY        the entity of the records in CSV, or of JSON lines without one
          --id FIELD             the field that holds the id; default: id
          --table TABLE[=ENTITY] of a database, this table only, and its entity; may be repeated
          --type FIELD=KIND      what the values of a field are: text, integer, double, bool, uuid,
                                 date (ISO 8601), unix or reference (seconds since 1970 or 2001),
                                 bytes (base64); may be repeated
          --rename NAME=FIELD    the field for a column or key of this name; may be repeated
          --format FORMAT        csv, jsonl or sqlite; default: by the ending of the name
          --separator C          what separates the cells of CSV; "tab" for tabs; default: a comma
          --replace              replace records that the store has with other content
          --check                check the input, also against the store as it is now, and print
                                 what would be imported; the store is only read
          --by ACTOR             the actor of the events
          --because REASON       the reason; default: the name of the file

        The store is created if there is none. The whole input is checked first: if a line is
        broken, it is named, and nothing is imported. Then the records are written in events of
        1,000, with one correlation. After a crash, the same command continues the import.

        The texts of a field become numbers, truth values, UUIDs or dates if all of them in the
        input are; in JSON and databases, UUIDs or dates. In a database, each table is an entity and
        the primary key is the id. A Core Data store is recognized: its entities, dates and
        relationships. Names of fields are in lower case there; --rename gives them capitals.

        Unique indexes and relations that the app of the store has declared are checked, too: a
        record that breaks one is named, and nothing is imported. Records may refer to later ones.
        With --replace, a record of an older shape is not replaced if the app changes that shape by
        a closure: save it with the app first.
        An app that has not written the store yet checks its own when it opens it.

          skyros import Shop.skyros people.csv --entity Person --type zip=text
          skyros import Shop.skyros old.sqlite --table persons=Person --rename first_name=firstName
          skyros import Shop.skyros export.jsonl --check
        """
    static let options: Set<String> = [
        "entity", "id", "table", "type", "rename", "format", "separator", "by", "because",
    ]
    static let repeatable: Set<String> = ["table", "type", "rename"]
    static let flags: Set<String> = ["replace", "check"]
    static let createsStore = true

    private let arguments: Arguments
    private let input: ImportInput
    private let types: [String: FieldKind]

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        input = try ImportInput(arguments)
        var types: [String: FieldKind] = [:]
        for text in arguments.texts("type") {
            let (field, kind) = try Arguments.pair(text, of: "type")
            guard let kind = FieldKind(rawValue: kind) else {
                let kinds = FieldKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\"\(kind)\" is no kind; the kinds are \(kinds)")
            }
            types[field] = kind
        }
        self.types = types
    }

    func run(_ output: Output) throws -> Bool {
        let bar = ProgressBar(ProgressBar.Step(.comparing, 0.3), ProgressBar.Step(.writing, 0.7))
        defer { bar.finish() }
        var importer = Importer(
            try input.open(), types: types, replaces: arguments.has("replace"))
        var options = Store.Options()
        // What the app tolerates is no reason to refuse other records.
        options.existingDuplicates = .report
        options.existingBrokenReferences = .ignore
        let check = try importer.check(limit: options.eventBytesMax) {
            bar.update(.comparing, $0, of: $1)
        }
        let metadata = Metadata(
            actor: arguments.text("by"),
            reason: arguments.text("because") ?? "import of \(input.name)",
            correlation: check.correlation)
        if arguments.has("check") {
            if let state = try stateToCheck() {
                try importer.compare(with: state)
                try importer.rehearse(check, on: state, metadata, options)
            }
            bar.finish()
            try report(check, importer.kinds, output)
            return true
        }
        let store = try arguments.writableStore(options)
        try importer.compare(with: store.snapshot)
        try importer.rehearse(check, on: store.snapshot, metadata, options)
        let tallies = try importer.write(to: store, metadata, total: check.total) {
            bar.update(.writing, $0, of: $1)
        }
        let sequence = store.sequence
        try store.close()
        bar.finish()
        try report(tallies, check.correlation, sequence, output)
        return true
    }

    /// The state of the store, which is only read and may be open elsewhere; nil if there is none.
    private func stateToCheck() throws -> Snapshot? {
        do {
            return try Archive(at: arguments.store).newestSnapshot()
        } catch let error as StoreError where error.code == .notAStore {
            return nil
        }
    }

    private func report(
        _ check: Importer.Check, _ kinds: FieldKinds, _ output: Output
    ) throws {
        if arguments.isJSON {
            try output.json([
                "entities": .map(check.counts.mapValues { .integer(Int128($0)) }),
                "kinds": .array(
                    kinds.conversions.map { found in
                        [
                            "entity": .text(found.entity), "field": .text(found.field),
                            "kind": .text(found.kind.rawValue),
                        ]
                    }),
            ])
            return
        }
        for (entity, count) in check.counts {
            try output.line("\(entity): \(count) \(count == 1 ? "record" : "records")")
            for found in kinds.conversions where found.entity == entity {
                try output.line("    \(found.field)  \(found.kind.rawValue)")
            }
        }
    }

    private func report(
        _ tallies: NamedValues<Importer.Tally>, _ correlation: String, _ sequence: SequenceNumber,
        _ output: Output
    ) throws {
        if arguments.isJSON {
            let entities = tallies.mapValues { tally -> FieldValue in
                [
                    "inserted": .integer(Int128(tally.inserted)),
                    "replaced": .integer(Int128(tally.replaced)),
                    "unchanged": .integer(Int128(tally.unchanged)),
                ]
            }
            try output.json([
                "entities": .map(entities), "correlation": .text(correlation),
                "sequence": .integer(Int128(sequence.rawValue)),
            ])
            return
        }
        let heading = ["entity", "inserted", "replaced", "unchanged"]
        let rows = tallies.map { entity, tally in
            [entity, "\(tally.inserted)", "\(tally.replaced)", "\(tally.unchanged)"]
        }
        try output.table([heading] + rows)
        try output.line("correlation \(correlation)")
    }
}
