import Foundation
import SkyrosSQLite
import TestSupport
import Testing

@testable import Skyros

/// SQL over the records of a snapshot, which are not copied.
@Suite struct `A query over a snapshot` {
    private struct Person: Entity {
        var id: Int
        var name: String
        var team: String?
        var score: Double
        var born: Date?
        var key: UUID
        static let indexes: [Index<Person>] = [.on(\.score), .on(\.name), .on(\.key)]
    }

    private static func key(_ number: Int) -> UUID {
        UUID(uuid: (UInt8(number % 7), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xAB))
    }

    private let store: Store

    /// Not exactly this number of milliseconds.
    private static let birth = Date(timeIntervalSince1970: 1_777_777_428.123)

    init() throws {
        store = try Store(inMemory: Person.self)
        try store.write { tx in
            for id in 0..<50 {
                try tx.insert(
                    Person(
                        id: id, name: "n\(id % 10)", team: id % 3 == 0 ? nil : "t\(id % 3)",
                        score: Double(id % 20) / 2,
                        born: id % 2 == 0 ? Self.birth : nil,
                        key: Self.key(id)))
            }
        }
    }

    private func rows(_ sql: String) throws -> [[FieldValue]] {
        try store.snapshot.query(sql).rows
    }

    @Test func `shows dates as text in ISO 8601, and null for what is missing`() throws {
        let result = try store.snapshot.query("SELECT * FROM Person WHERE id < 2")
        #expect(result.columns == ["id", "key", "born", "name", "score", "team"])
        #expect(result.rows[0][2] == "2026-05-03T03:03:48.123Z")
        #expect(result.rows[1][2] == .null && result.rows[0][5] == .null)
        #expect(result.rows[0][1] == "00000000-0000-0000-0000-0000000000ab")
    }

    /// Conditions that an index may serve, and the same in a form that none serves.
    private static let twins: [(String, String)] = [
        ("id = 7", "id + 0 = 7"), ("id = '7'", "CAST(id AS TEXT) = '7'"),
        ("id = 7.0", "id + 0 = 7.0"), ("id IN (1, 2, 99)", "id + 0 IN (1, 2, 99)"),
        ("name = 'n3'", "name || '' = 'n3'"), ("name = 3", "name || '' = '3'"),
        ("name = 'N3' COLLATE NOCASE", "lower(name) = 'n3'"),
        ("name IS 'n3'", "name || '' IS 'n3'"), ("name >= 'n8'", "name || '' >= 'n8'"),
        ("score = 2.5", "score + 0 = 2.5"),
        ("score > 2 AND score <= 3", "score + 0 > 2 AND score + 0 <= 3"),
        ("score < '1'", "score + 0 < 1"), ("score > 9e99", "score + 0 > 9e99"),
        ("score >= -1e300", "score + 0 >= -1e300"), ("score = NULL", "0"),
        ("score = x'00'", "0"), ("team = 't1'", "team || '' = 't1'"),
        ("team IS NULL", "typeof(team) = 'null'"), ("team = NULL", "0"),
        ("key = '03000000-0000-0000-0000-0000000000ab'", "key || '' LIKE '03%'"),
        ("key = '03000000-0000-0000-0000-0000000000AB'", "0"), ("key = 'x'", "0"),
        ("born = '2026-05-03T03:03:48.123Z'", "born IS NOT NULL"),
        ("_row = 3", "_row + 0 = 3"), ("Person.rowid = 3", "_row + 0 = 3"),
        ("_row = '3'", "_row + 0 = 3"),
        ("id = 9223372036854775807", "0"), ("id > 3 AND id < 3", "0"),
    ]

    @Test(arguments: twins)
    func `answers the same with and without an index`(indexed: String, plain: String) throws {
        for order in ["", " ORDER BY score DESC, id"] {
            let expected = try rows("SELECT id FROM Person WHERE \(plain)\(order)")
            let found = try rows("SELECT id FROM Person WHERE \(indexed)\(order)")
            if order.isEmpty {
                #expect(Set(found) == Set(expected) && found.count == expected.count)
            } else {
                #expect(found == expected)
            }
        }
        // The second lookup of a join makes an index, and each of these asks twice or more.
        let join = { (condition: String) in
            "SELECT b.v, count(*) FROM (SELECT 1 AS v UNION ALL SELECT 2 UNION ALL SELECT 3) b "
                + "CROSS JOIN Person WHERE \(condition) GROUP BY 1"
        }
        #expect(try rows(join(indexed)) == rows(join(plain)))
    }

    /// A column shows U+FFFD for a NUL.
    @Test func `finds a text with a NUL by what its column shows`() throws {
        try store.write { tx in
            try tx.insert(Person(id: 98, name: "a\0b", score: 1, key: Self.key(1)))
            try tx.insert(Person(id: 99, name: "a\u{FFFD}b", score: 1, key: Self.key(1)))
        }
        for column in ["name", "name || ''"] {
            let condition = "\(column) = 'a' || char(65533) || 'b'"
            #expect(
                try rows("SELECT id FROM Person WHERE \(condition) ORDER BY +id") == [[98], [99]],
                "\(column)")
        }
    }

    @Test func `joins by an index that is made on demand`() throws {
        let joined = try rows(
            """
            SELECT a.id, count(*) FROM Person a JOIN Person b ON b.team = a.team
            WHERE a.id < 5 GROUP BY 1
            """)
        let expected = try rows(
            """
            SELECT a.id, count(*) FROM Person a JOIN Person b ON +b.team || '' = a.team
            WHERE a.id < 5 GROUP BY 1
            """)
        #expect(joined == expected && joined.count == 3)
    }

    @Test func `reads each record once for a lookup by index, and copies none`() throws {
        let state = store.snapshot
        let table = try #require(state.table("Person"))
        var collector = LayoutCollector()
        for row in table.rows.all() {
            try collector.note(row.takeUnretainedValue().bytes, of: "Person")
        }
        let virtual = EntityTable(collector.layout.entities[0], table)
        let column = try #require(virtual.layout.columns.firstIndex { $0.field == "score" })
        let found = try #require(try virtual.find(column, [(.equal, .real(2.5))]))
        #expect(found.count == 3)
        #expect(found.allSatisfy { row in table.row(row.id) === row })
        #expect(virtual.rows.allSatisfy { row in table.row(row.id) === row })
        let plan = virtual.plan([
            VirtualConstraint(
                column: column + EntityTable.hiddenCount, operator: .equal, isBinary: true)
        ])
        #expect(plan.constraints == [0] && plan.cost < 50)
    }

    @Test(arguments: [
        "DELETE FROM Person", "UPDATE Person SET id = 1", "INSERT INTO Person(id) VALUES (1)",
        "DROP TABLE Person", "CREATE TABLE a(b)", "CREATE TEMP VIEW v AS SELECT 1",
        "PRAGMA journal_mode=OFF", "BEGIN", "ATTACH 'a' AS b", "VACUUM",
    ])
    func `may only read`(sql: String) throws {
        do {
            _ = try rows(sql)
            Issue.record("it was accepted")
        } catch let error as StoreError {
            #expect(error.code == .invalidInput)
        }
        #expect(try rows("SELECT count(*) FROM Person") == [[50]])
    }

    @Test func `reports a record that cannot be read, and does not trap`() throws {
        var table = Table(entity: "Odd", type: nil, hashSeed: 0, indexes: [])
        let id = RecordID(1)
        let bytes: [UInt8] = [0xA1, 0x61]
        let row = table.storedRow(id, hash: table.hash(id), number: 1, bytes: bytes)
        try table.put(row, replacing: nil)
        var layout = TableLayout()
        layout.entities.append(TableLayout.Entity(name: "Odd", table: "Odd"))
        layout.entities[0].addColumn("a", kind: .integer)
        var state = store.snapshot
        state.tables = [table]
        let database = SnapshotDatabase(state, layout, log: nil)
        do {
            try database.run("SELECT a FROM Odd", { _ in }, { _ in })
            Issue.record("it was read")
        } catch let error as StoreError {
            #expect(error.code == .notDecodable)
        }
        try database.run("SELECT count(*) FROM Odd", { _ in }, { #expect($0 == [1]) })
    }
}
