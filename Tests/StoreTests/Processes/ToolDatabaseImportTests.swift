import Foundation
import Skyros
import SkyrosSQLite
import TestSupport
import Testing

/// A database to import, and the place of a store that does not exist yet.
private struct ImportedDatabase {
    let directory: TemporaryDirectory
    private let tool: Program

    /// Creates the database by SQL.
    init(_ sql: String) throws {
        directory = try TemporaryDirectory()
        tool = try Program("skyros")
        var options = ConnectionOptions(.file(file))
        options.isForeign = true
        let connection = try Connection(options)
        try connection.execute(sql)
        try connection.close()
    }

    var file: String { directory.path("old.sqlite") }

    func run(_ words: String...) throws -> Program.Outcome {
        try tool.run(["import", directory.store.path, file] + words)
    }

    func records(_ entity: String) throws -> [[String: FieldValue]] {
        try Archive(at: directory.store).newestSnapshot().records(entity).map { record in
            Dictionary(uniqueKeysWithValues: record.fieldNames.map { ($0, record[$0] ?? .null) })
        }
    }
}

@Suite struct `An import of a database` {
    @Test func `makes an entity of each table`() throws {
        let database = try ImportedDatabase(
            """
            CREATE TABLE person(person_id INTEGER PRIMARY KEY, name TEXT, ok BOOLEAN, key BLOB);
            INSERT INTO person VALUES(7, 'Jo', 1, x'0102'), (8, NULL, 'odd', NULL);
            CREATE TABLE seat("row" TEXT, number INTEGER, PRIMARY KEY("row", number)) WITHOUT ROWID;
            INSERT INTO seat VALUES('a', 2);
            CREATE TABLE note(text TEXT);
            INSERT INTO note VALUES('first'), ('2024-02-29T12:00:00Z');
            CREATE VIEW v AS SELECT 1;
            """)
        let before = try database.directory.bytes(of: "old.sqlite")
        let outcome = try database.run()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            try database.records("person") == [
                ["person_id": 7, "name": "Jo", "ok": true, "key": .bytes(Data([1, 2]))],
                ["person_id": 8, "ok": "odd"],
            ])
        #expect(try database.records("seat") == [["id": ["a", 2], "row": "a", "number": 2]])
        #expect(
            try database.records("note") == [
                ["id": 1, "text": "first"], ["id": 2, "text": "2024-02-29T12:00:00Z"],
            ])
        let state = try Archive(at: database.directory.store).newestSnapshot()
        #expect(try state.record("person", RecordID(8)) != nil)
        #expect(state.entities == ["note", "person", "seat"])
        #expect(try database.directory.bytes(of: "old.sqlite") == before)
    }

    @Test func `takes the tables, names and kinds of its arguments`() throws {
        let database = try ImportedDatabase(
            """
            PRAGMA journal_mode=WAL;
            CREATE TABLE users(uid BLOB PRIMARY KEY, born INTEGER, mail TEXT);
            INSERT INTO users VALUES(x'000102030405060708090a0b0c0d0e0f', 86400, 'a');
            CREATE TABLE other(x);
            """)
        let outcome = try database.run(
            "--table", "users=User", "--rename", "uid=id", "--type", "id=uuid", "--type",
            "born=unix")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let id = try #require(UUID(uuidString: "00010203-0405-0607-0809-0a0b0c0d0e0f"))
        let state = try Archive(at: database.directory.store).newestSnapshot()
        #expect(state.entities == ["User"])
        let user = try #require(try state.record("User", RecordID(id)))
        #expect(user["id"] == .uuid(id) && user["mail"] == "a")
        #expect(user["born"] == .date(Date(timeIntervalSince1970: 86_400)))
        let missing = try database.run("--table", "nope")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("there is no table nope; the tables are other, users"))
    }

    @Test func `refuses a file that is none, and one that is damaged`() throws {
        let database = try ImportedDatabase("CREATE TABLE a(x); INSERT INTO a VALUES(1)")
        try database.directory.write(Array("no database at all".utf8), to: "old.sqlite")
        let outcome = try database.run()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("old.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: database.directory.store.path))
    }
}

@Suite struct `An import of a Core Data store` {
    /// A store as Core Data makes it, of the entities Note, its child Memo, and Tag.
    private let database: ImportedDatabase

    init() throws {
        database = try ImportedDatabase(
            """
            CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255));
            CREATE TABLE Z_PRIMARYKEY(
                Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES
                (1, 'Note', 0, 3), (2, 'Memo', 1, 0), (3, 'UserTag', 0, 2);
            CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZCREATEDAT TIMESTAMP, ZPARENT INTEGER, ZTITLE VARCHAR);
            CREATE INDEX ZNOTE_ZPARENT_INDEX ON ZNOTE(ZPARENT);
            INSERT INTO ZNOTE VALUES
                (1, 1, 4, 700000000.5, NULL, 'first'), (2, 1, 1, 0, 1, 'second'),
                (3, 2, 1, NULL, 2, 'memo');
            CREATE TABLE ZUSERTAG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZNAME VARCHAR);
            INSERT INTO ZUSERTAG VALUES (1, 3, 1, 'red'), (2, 3, 1, 'blue');
            CREATE TABLE Z_1TAGS(Z_1NOTES INTEGER, Z_3TAGS INTEGER, Z_FOK_3TAGS INTEGER,
                PRIMARY KEY(Z_1NOTES, Z_3TAGS));
            INSERT INTO Z_1TAGS VALUES (1, 1, 20), (1, 2, 10), (2, 1, 10);
            """)
    }

    @Test func `has its entities, dates and relationships`() throws {
        let outcome = try database.run("--rename", "createdat=createdAt")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let state = try Archive(at: database.directory.store).newestSnapshot()
        #expect(state.entities == ["Memo", "Note", "UserTag"])
        let dates = [700_000_000.5, 0].map {
            FieldValue.date(.init(timeIntervalSinceReferenceDate: $0))
        }
        #expect(
            try database.records("Note") == [
                ["id": 1, "createdAt": dates[0], "title": "first", "tags": [2, 1]],
                ["id": 2, "createdAt": dates[1], "title": "second", "parent": 1, "tags": [1]],
            ])
        #expect(try database.records("UserTag").map { $0["name"] } == ["red", "blue"])
    }

    @Test func `gives a child entity the table of its parent`() throws {
        #expect(try database.run("--table", "Memo").status == 0)
        #expect(
            try database.records("Memo") == [
                ["id": 3, "title": "memo", "parent": 2, "tags": []]
            ])
    }
}
