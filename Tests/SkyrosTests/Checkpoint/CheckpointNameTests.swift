import Testing

@testable import Skyros

@Suite struct `A name in a checkpoint` {
    private static let odd = [
        "a", "A", "ID", "Id", "id", "_row", "_ROW", "_id", "_record", "_SUM", "_sequence", "rowid",
        "oid", "_rowid_",
        "", " ", "\"", "\"\"", "a\"b", "'", "a'; DROP TABLE x; --", "a\0", "a\0b", "\0", "\n", "~1",
        "a~1", "A~1", "\u{E9}", "e\u{301}", "\"\u{301}", "]", "[a]", "`", "select", "table", "null",
        "κύμα", "🌊", String(repeating: "x", count: 100), String(repeating: "x", count: 101),
        String(repeating: "x", count: 102), String(repeating: "é", count: 60), "a.b", "%", "?1",
        ":a",
        "sqlite_", "SQLITE_schema", "sqlite_stat1", "_skyros", "_SKYROS_x", "_skyros_entities",
    ]

    @Test func `can be any text for a field`() throws {
        let directory = try CheckpointDirectory()
        let fields = Self.odd.enumerated().map { ($1, CheckpointValue.integer(Int128($0))) }
        let rows = [
            CheckpointDirectory.Row("Thing", 1, CheckpointValue.map(fields)),
            CheckpointDirectory.Row("Thing", 2, CheckpointValue.map(fields.reversed())),
        ]
        try directory.open().write(rows)
        #expect(try directory.open(readOnly: true).rows() == rows)
        let count = try directory.query("SELECT count(*) FROM _skyros_columns")
        #expect(count == [["\(Self.odd.count)"]])
    }

    @Test func `can be any text for an entity`() throws {
        let directory = try CheckpointDirectory()
        let database = try directory.open()
        let rows = Self.odd.enumerated().map { index, name in
            let record = CheckpointValue.map([("a", CheckpointValue.integer(Int128(index)))])
            return CheckpointDirectory.Row(name, Int64(index), record)
        }
        try database.write(rows)
        #expect(try directory.open(readOnly: true).rows() == rows)
        try database.write(rows)
        #expect(try directory.open(readOnly: true).rows() == rows)
    }

    @Test func `can be added to a table that is there`() throws {
        let directory = try CheckpointDirectory()
        var rows: [CheckpointDirectory.Row] = []
        for (index, name) in Self.odd.enumerated() {
            let record = CheckpointValue.map([(name, CheckpointValue.text("x"))])
            rows.append(.init("Thing", Int64(index), record))
            try directory.open().write([rows[index]])
        }
        #expect(try directory.open(readOnly: true).rows() == rows)
    }

    private func table(_ name: String, taken: [String] = []) -> String {
        SQLName.unused(
            for: name, taken: Set(taken.map { SQLName.folded($0) }),
            isReserved: SQLName.isReservedTable)
    }

    @Test func `stays as it is where it can, and is escaped by rule where not`() {
        #expect(table("Order") == "Order")
        #expect(table("Order", taken: ["order"]) == "Order~1")
        #expect(table("Order", taken: ["order", "ORDER~1"]) == "Order~2")
        #expect(table("sqlite_a") == "~sqlite_a~1")
        #expect(table("_Skyros") == "~_Skyros~1" && table("_past") == "~_past~1")
        #expect(table("") == "~1")
        #expect(table("a\0\n\u{7F}b") == "a___b~1")
        #expect(
            table(String(repeating: "é", count: 51)) == String(repeating: "é", count: 50) + "~1")
        let column = SQLName.unused(for: "_ID", taken: [], isReserved: SQLName.isReservedColumn)
        #expect(column == "~_ID~1")
    }

    @Test func `is quoted scalar by scalar`() {
        #expect(SQLName.quoted("a\"b") == "\"a\"\"b\"")
        #expect(Array(SQLName.quoted("\"\u{301}").utf8) == Array("\"\"\"\u{301}\"".utf8))
    }
}
