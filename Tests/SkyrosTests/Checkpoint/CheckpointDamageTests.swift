import Foundation
import SkyrosSQLite
import TestSupport
import Testing

@testable import Skyros

@Suite(.long) struct `A damaged checkpoint` {
    private let directory: CheckpointDirectory
    private typealias Value = CheckpointValue

    init() throws {
        directory = try CheckpointDirectory()
        let rows = CheckpointValue.all.prefix(20).enumerated().map { index, value in
            let fields = [
                ("id", Value.integer(Int128(index))), ("a", value), ("b", Value.text("b")),
            ]
            return CheckpointDirectory.Row("Thing", Int64(index), Value.map(fields))
        }
        try directory.open().write(rows + [.init("Other", 1, Value.map([("c", Value.real(1.5))]))])
    }

    /// Changes the file as another program might.
    private func tamper(_ sql: String) throws {
        let connection = try directory.stranger()
        try connection.execute(sql)
        try connection.close()
    }

    private func openError() -> CheckpointError? {
        #expect(throws: CheckpointError.self) { try directory.open().load { _, _ in } }
    }

    @Test(arguments: [
        "CREATE TABLE extra(x)", "CREATE TABLE _skyros_more(x)", "CREATE VIEW v AS SELECT 1",
        "CREATE INDEX i ON Thing(a)", "DROP TABLE Other", "DROP TABLE _skyros_columns",
        "CREATE TRIGGER t AFTER INSERT ON Thing BEGIN DELETE FROM Thing; END",
        "ALTER TABLE Thing ADD COLUMN extra", "ALTER TABLE Thing DROP COLUMN b",
        "ALTER TABLE Thing RENAME COLUMN b TO d", "ALTER TABLE Other RENAME TO Another",
        "DROP TABLE Other; CREATE VIEW Other AS SELECT 1 AS _row, NULL AS _id",
        "DROP TABLE Other; CREATE VIRTUAL TABLE Other USING fts5(x)",
        "DROP TABLE Other; CREATE TABLE Other(_row INTEGER PRIMARY KEY, _sum, _id, c AS (1))",
        "DROP TABLE _skyros; CREATE VIEW _skyros AS SELECT 1, 1", "ANALYZE",
        "DELETE FROM _skyros", "DELETE FROM _skyros_entities", "DELETE FROM _skyros_columns",
        "UPDATE _skyros SET sequence = 43", "UPDATE _skyros SET schema = NULL",
        "UPDATE _skyros SET schema = x'A1615FA16776657273696F6E02'",
        "UPDATE Thing SET _version = 2", "UPDATE Thing SET _version = 0",
        "UPDATE _skyros SET time = time + 1",
        "UPDATE _skyros SET chain = '0000000000000000'", "UPDATE _skyros SET store = 'x'",
        "UPDATE _skyros SET digest = '0'", "UPDATE _skyros SET seal = '0000000000000000'",
        "UPDATE _skyros SET sequence = -1", "UPDATE _skyros SET sequence = '42x'",
        "UPDATE _skyros SET format = 8", "UPDATE _skyros SET store = upper(store)",
        "INSERT INTO _skyros SELECT 2, format, store, sequence, chain, time, digest, schema, "
            + "key_count, key_content, keys_after, keys_after_time, projection_count, "
            + "projection_content, seal FROM _skyros",
        "UPDATE _skyros_entities SET row_count = 99",
        "UPDATE _skyros_entities SET row_count = NULL",
        "UPDATE _skyros_entities SET content = '0123456789abcdef'",
        "UPDATE _skyros_entities SET entity = 'Else' WHERE number = 2",
        "UPDATE _skyros_entities SET table_name = 'Thing'",
        "UPDATE _skyros_entities SET indexes = '[[\"a\"]]'",
        "UPDATE _skyros_entities SET indexes = '[ ]'",
        "UPDATE _skyros_entities SET indexes = NULL",
        "UPDATE _skyros_entities SET number = 9 WHERE number = 2",
        "UPDATE _skyros_columns SET kind = 'json'", "UPDATE _skyros_columns SET kind = 'new'",
        "UPDATE _skyros_columns SET field = 'x' WHERE number = 1",
        "UPDATE _skyros_columns SET entity = 'Other'",
        "UPDATE _skyros_columns SET column_name = 'a'",
        "UPDATE Thing SET _row = 99 WHERE _row = 3", "UPDATE Thing SET _row = -_row",
        "DELETE FROM Thing WHERE _row = 3", "DELETE FROM Thing",
        "UPDATE Thing SET _sequence = 43 WHERE _row = 3", "UPDATE Thing SET _sequence = NULL",
        "UPDATE Thing SET _sum = _sum - 1 WHERE _row = 3", "UPDATE Thing SET _sum = NULL",
        "UPDATE Thing SET _id = x'01'", "UPDATE Thing SET _id = 1",
        "UPDATE Thing SET _id = x'0101'", "UPDATE Thing SET _id = x''",
        "UPDATE Thing SET _record = 1", "UPDATE Thing SET _record = x'A0' WHERE _row = 3",
        "UPDATE Thing SET _record = NULL", "UPDATE Thing SET _record = x'01'",
        "UPDATE Thing SET _record = x'A1'", "UPDATE Thing SET _record = x'BB7FFFFFFFFFFFFFFF'",
        "UPDATE Thing SET _record = _record || x'00'",
        "UPDATE Thing SET (_record, _sum) = (SELECT _record, _sum FROM Thing WHERE _row = 4) "
            + "WHERE _row = 3",
        "INSERT INTO Other(_row) VALUES (2)",
    ])
    func `is refused and not run, whatever another program changed (F41)`(sql: String) throws {
        try tamper(sql)
        guard case .corrupt(let damage) = openError() else {
            Issue.record("\(sql)")
            return
        }
        #expect(!damage.description.isEmpty)
    }

    @Test(arguments: [
        ("UPDATE _skyros SET seal = '0000000000000000'", "does not match its seal"),
        ("UPDATE _skyros SET digest = printf('%032d', 0)", "do not add up"),
        ("UPDATE _skyros_entities SET digest = printf('%032d', 0)", "do not add up"),
        ("UPDATE _skyros_entities SET row_count = 9223372036854775807", "an invalid row"),
    ])
    func `says whether the seal or the sums are wrong`(sql: String, words: String) throws {
        try tamper(sql)
        guard case .corrupt(let damage) = openError() else {
            Issue.record("\(sql)")
            return
        }
        #expect(damage.description.contains(words))
    }

    /// Opening does not read these columns; only queries see the change.
    @Test(arguments: [
        ("b = 'c'", "b"), ("b = x'00'", "b"), ("id = 'x'", "id"), ("id = 1.5", "id"),
        ("id = NULL", "id"), ("b = CAST(x'FF' AS TEXT)", "b"), ("id = id + 1", "id"),
    ])
    func `in a typed column is loaded, and named by verifying`(
        change: String, column: String
    ) throws {
        let rows = try directory.open().rows()
        #expect(try directory.open().firstWrongColumn() == nil)
        try tamper("UPDATE Thing SET \(change) WHERE _row = 5")
        let database = try directory.open()
        #expect(try database.rows() == rows)
        let expected = CheckpointDatabase.WrongColumn(
            entity: "Thing", id: RecordID(5), column: column)
        #expect(try database.firstWrongColumn() == expected)
    }

    /// A writer that forgets the order of keys, and makes all sums of what it wrote.
    @Test func `with a record that is not canonical is named by verifying, whatever its sums say`()
        throws
    {
        let record: [UInt8] = [0xA2, 0x61, 0x63, 0x00, 0x61, 0x61, 0x00]
        try directory.open().write([.init("Other", 2, Value.map([("a", Value.real(1))]))])
        var forged = try #require(try directory.open().description())
        let old = forged.layout
        let rows = try directory.open().rows().filter { $0.entity == "Other" }
        var digest = TableDigest()
        for var row in rows {
            if row.number == 2 { row = .init("Other", 2, id: row.id, record) }
            try row.give { digest.add($0, StateDigest([row])) }
        }
        let sum = StateDigest([.init("Other", 2, id: rows[1].id, record)]).sum0
        forged.layout.entities[1].digest = digest
        let connection = try directory.stranger()
        try connection.execute(
            "UPDATE Other SET _record = x'A2616300616100', _sum = \(Int64(bitPattern: sum)) "
                + "WHERE _row = 2")
        try forged.write(over: old, on: connection)
        try connection.close()
        let database = try directory.open()
        #expect(try database.rows().last?.record == record)
        let error = #expect(throws: CheckpointError.self) { try database.firstWrongColumn() }
        guard case .corrupt(let damage) = error else { return }
        #expect(damage.description.hasPrefix("a record is not canonical"))
    }

    /// A writer that counts the digest of a state wrongly, and makes the seal of what it wrote.
    @Test func `with the digest of another state is refused, whatever its rows say`() throws {
        var forged = try #require(try directory.open().description())
        let old = forged.layout
        let row = CheckpointDirectory.Row("Other", 1, Value.map([("c", Value.real(2.5))]))
        forged.layout.entities[1].digest.state = StateDigest([row])
        let connection = try directory.stranger()
        try forged.write(over: old, on: connection)
        try connection.close()
        #expect(openError() == .damage("the state digest does not match", entity: "Other"))
    }

    @Test func `is named by entity and row`() throws {
        try tamper("UPDATE Thing SET _sum = 0 WHERE _row = 5")
        guard case .corrupt(let damage) = openError() else { return }
        #expect(damage.entity == "Thing")
        #expect(damage.row == 5)
        #expect(damage.description == "the record does not match its sum")
    }

    @Test func `is named by the number of rows that are missing`() throws {
        try tamper("DELETE FROM Thing WHERE _row IN (3, 4)")
        guard case .corrupt(let damage) = openError() else { return }
        #expect(damage.entity == "Thing")
        #expect(damage.description == "there are 18 rows and not 20")
    }

    @Test func `is detected before an update overwrites the damaged row`() throws {
        try tamper("UPDATE Thing SET _sum = 0 WHERE _row = 5")
        let database = try directory.open()
        let error = #expect(throws: CheckpointError.self) {
            try database.write([.init("Thing", 5, Value.map([]))])
        }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `stays damaged when an update overwrites a changed row`() throws {
        try tamper("UPDATE Thing SET _sequence = 7 WHERE _row = 5")
        try directory.open().write([.init("Thing", 5, Value.map([]))])
        guard case .corrupt(let damage) = openError() else { return }
        #expect(damage.entity == "Thing")
    }

    @Test func `of another format or program is reported as such and not changed (F27, F72)`()
        throws
    {
        // The header alone decides: only a later version knows what else it has changed.
        for sql in ["PRAGMA user_version=8", "UPDATE _skyros SET format = 8"] {
            try tamper(sql)
            let before = try Data(contentsOf: directory.fileURL)
            #expect(throws: CheckpointError.newerFormat(version: 8)) { try directory.open() }
            #expect(try Data(contentsOf: directory.fileURL) == before)
        }
        try tamper("PRAGMA user_version=1")
        #expect(openError() == .olderFormat(version: 1))
        try tamper("PRAGMA user_version=0")
        #expect(openError() == .damage("the header says format 0"))
        try tamper("PRAGMA application_id=7")
        #expect(openError() == .foreign(applicationID: 7))
        try tamper("PRAGMA application_id=0; PRAGMA user_version=0")
        #expect(openError() == .foreign(applicationID: 0))
    }

    @Test func `may be no file, an empty one, a directory or no database (F27)`() throws {
        try FileManager.default.removeItem(at: directory.fileURL)
        #expect(throws: CheckpointError.self) { try directory.open(readOnly: true) }
        try Data().write(to: directory.fileURL)
        #expect(try directory.open(readOnly: true).description() == nil)
        try Data(repeating: 0x58, count: 5_000).write(to: directory.fileURL)
        guard case .corrupt = openError() else {
            Issue.record("text taken for a database")
            return
        }
        try FileManager.default.removeItem(at: directory.fileURL)
        try FileManager.default.createDirectory(
            at: directory.fileURL, withIntermediateDirectories: false)
        guard case .unreadable = openError() else {
            Issue.record("directory taken for a database")
            return
        }
    }

    @Test func `is reported as damage when SQLite does not know its schema format`() throws {
        var bytes = try Data(contentsOf: directory.fileURL)
        bytes[47] = 99
        try bytes.write(to: directory.fileURL)
        guard case .corrupt = openError() else {
            Issue.record("taken for an error of the disk")
            return
        }
    }

    @Test func `is detected after truncation at any page`() throws {
        let whole = try Data(contentsOf: directory.fileURL)
        for count in stride(from: 512, to: whole.count, by: 512) {
            try whole.prefix(count).write(to: directory.fileURL)
            #expect(throws: CheckpointError.self) {
                try directory.open(readOnly: true).load { _, _ in }
            }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `never gives a wrong row after a flipped byte`(seed: UInt64) throws {
        let whole = try Data(contentsOf: directory.fileURL)
        let expected = try Content(directory.open(readOnly: true))
        var seed = RandomSource(seed: seed)
        var detected = 0
        let count = Extent.pick(brief: 100, quick: 750)
        for _ in 0..<count {
            var bytes = whole
            // Every other flip hits the bytes that hold something.
            var offset = Int.random(in: whole.indices, using: &seed)
            while seed.next() % 2 == 0, whole[offset] == 0 {
                offset = Int.random(in: whole.indices, using: &seed)
            }
            let mask = UInt8.random(in: 1...255, using: &seed)
            bytes[offset] ^= mask
            try bytes.write(to: directory.fileURL)
            do {
                let content = try Content(directory.open(readOnly: true))
                let isSame = content == expected
                #expect(isSame, "byte \(offset) flipped by \(mask)")
            } catch is CheckpointError {
                detected += 1
            }
        }
        #expect(detected > count / 4)
    }

    private struct Content: Equatable {
        let description: CheckpointDescription?
        let rows: [CheckpointDirectory.Row]

        init(_ database: CheckpointDatabase) throws {
            rows = try database.rows()
            description = try database.description()
        }
    }
}
