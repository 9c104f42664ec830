import Foundation
import SkyrosSQLite
import TestSupport
import Testing

@Suite struct `A connection` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(
        _ name: String = "a.sqlite", access: ConnectionOptions.Access = .readWriteCreate,
        timeout: Int32 = 0
    ) throws -> Connection {
        let location = ConnectionOptions.Location.file(directory.path(name))
        return try Connection(
            ConnectionOptions(location, access: access, busyTimeoutMilliseconds: timeout))
    }

    @Test(arguments: [
        ("journal_mode", "delete"), ("synchronous", "3"), ("fullfsync", "1"),
        ("checkpoint_fullfsync", "1"), ("mmap_size", "0"), ("cell_size_check", "1"),
        ("trusted_schema", "0"), ("secure_delete", "1"), ("page_size", "4096"),
        ("temp_store", "2"), ("auto_vacuum", "0"), ("encoding", "UTF-8"),
    ])
    func `has the setting`(name: String, expected: String) throws {
        let connection = try open()
        let value = try connection.prepare("PRAGMA \(name)").single { $0.string(at: 0) }
        #expect(value == expected)
    }

    @Test func `refuses to rewrite its schema by hand`() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE a(x); PRAGMA writable_schema=ON")
        #expect(throws: SQLiteError.self) {
            try connection.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE a(y)'")
        }
    }

    @Test func `runs no trigger and no view (F41)`() throws {
        let connection = try open()
        try connection.execute(
            """
            CREATE TABLE a(x); CREATE TABLE b(x); CREATE VIEW v AS SELECT x FROM a;
            CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (new.x); END;
            INSERT INTO a VALUES (1);
            """)
        #expect(try connection.prepare("SELECT count(*) FROM b").single { $0.integer(at: 0) } == 0)
        #expect(throws: SQLiteError.self) { try connection.prepare("SELECT * FROM v") }
    }

    @Test func `attaches no other database and loads no extension`() throws {
        let connection = try open()
        #expect(throws: SQLiteError.self) { try connection.execute("ATTACH ':memory:' AS b") }
        #expect(throws: SQLiteError.self) {
            try connection.execute("SELECT load_extension('nothing')")
        }
    }

    @Test func `takes no name in double quotes for a string`() throws {
        let connection = try open()
        #expect(throws: SQLiteError.self) { try connection.prepare("SELECT \"absent\"") }
    }

    @Test func `does not create a file that it may only read`() throws {
        let error = #expect(throws: SQLiteError.self) { try open(access: .readOnly) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.place == .path(directory.path("a.sqlite")))
        #expect(error?.remedy != nil)
        #expect(!FileManager.default.fileExists(atPath: directory.path("a.sqlite")))
    }

    @Test func `only reads if it was opened for reading`() throws {
        try open().execute("CREATE TABLE a(x)")
        let reader = try open(access: .readOnly)
        let error = #expect(throws: SQLiteError.self) {
            try reader.execute("INSERT INTO a VALUES (1)")
        }
        #expect(error?.code == .readOnly)
    }

    @Test func `refuses to write to a file that says it must not be written`() throws {
        try open().execute("CREATE TABLE a(x)")
        // The write version of the format, in byte 18, is beyond what any SQLite knows.
        let url = directory.url.appending(path: "a.sqlite")
        var bytes = try Data(contentsOf: url)
        bytes[18] = 9
        try bytes.write(to: url)
        let error = #expect(throws: SQLiteError.self) { try open() }
        #expect(error?.code == .readOnly)
        _ = try open(access: .readOnly)
    }

    @Test func `does not follow a symbolic link`() throws {
        try open("real.sqlite").execute("CREATE TABLE a(x)")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link.sqlite"),
            withDestinationPath: directory.path("real.sqlite"))
        let error = #expect(throws: SQLiteError.self) { try open("link.sqlite") }
        #expect(error?.code == .cannotOpen)
    }

    @Test func `refuses a path with a NUL and a file that is no database`() throws {
        #expect(throws: SQLiteError.self) { try open("a\0b") }
        let text = Data(repeating: 0x41, count: 8192)
        try text.write(to: directory.url.appending(path: "text"))
        let error = #expect(throws: SQLiteError.self) { try open("text") }
        #expect(error?.code == .notADatabase)
        #expect(error?.isDamage == true)
        #expect(try Data(contentsOf: directory.url.appending(path: "text")) == text)
    }

    @Test func `refuses a database in WAL mode and does not change it`() throws {
        do {
            let connection = try open()
            try connection.execute("CREATE TABLE a(x); PRAGMA journal_mode=WAL")
        }
        let before = try Data(contentsOf: directory.url.appending(path: "a.sqlite"))
        let error = #expect(throws: SQLiteError.self) { try open() }
        #expect(error?.isDamage == true)
        #expect(try Data(contentsOf: directory.url.appending(path: "a.sqlite")) == before)
    }

    @Test func `names an unknown VFS as an error`() throws {
        #expect(throws: SQLiteError.self) {
            try Connection(ConnectionOptions(.memory, vfs: "absent"))
        }
    }

    @Test func `reports a close while statements live and closes afterwards`() throws {
        let connection = try open()
        var statement: Statement? = try connection.prepare("SELECT 1")
        #expect(try statement?.step() == true)
        let error = #expect(throws: SQLiteError.self) { try connection.close() }
        #expect(error?.code == .busy)
        statement = nil
        try connection.close()
        try connection.close()
        let misuse = #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
        #expect(misuse?.code == .misuse)
    }

    @Test func `reports that another connection holds the lock`() throws {
        let first = try open()
        let second = try open()
        try first.transaction {
            let error = #expect(throws: SQLiteError.self) {
                try second.transaction {}
            }
            #expect(error?.code == .busy)
        }
        try second.transaction {}
    }
}
