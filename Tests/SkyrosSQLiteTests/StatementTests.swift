import SkyrosSQLite
import Testing

@Suite struct `A statement` {
    private let connection: Connection

    init() throws {
        connection = try Connection(ConnectionOptions(.memory))
        try connection.execute("CREATE TABLE a(x)")
    }

    private func echo(_ bind: (Statement) throws -> Void) throws -> Statement {
        let statement = try connection.prepare("SELECT ?1, typeof(?1), length(?1)")
        try bind(statement)
        #expect(try statement.step())
        return statement
    }

    @Test(arguments: [0, 1, -1, Int64.max, Int64.min])
    func `gives an integer back`(value: Int64) throws {
        let row = try echo { try $0.bind(integer: value, at: 1) }
        #expect(row.storageType(at: 0) == .integer)
        #expect(row.integer(at: 0) == value)
    }

    @Test(arguments: [0.0, 1.5, -1e300, .infinity, -.infinity, .leastNonzeroMagnitude])
    func `gives a number back to the last bit`(value: Double) throws {
        let row = try echo { try $0.bind(real: value, at: 1) }
        #expect(row.storageType(at: 0) == .real)
        #expect(row.real(at: 0).bitPattern == value.bitPattern)
    }

    @Test func `turns NaN into NULL`() throws {
        #expect(try echo { try $0.bind(real: .nan, at: 1) }.isNull(at: 0))
    }

    @Test(arguments: ["", "a", "κύμα 🌊", "a\0b", String(repeating: "x", count: 100_000)])
    func `gives a text back`(value: String) throws {
        let row = try echo { try $0.bind(string: value, at: 1) }
        #expect(row.storageType(at: 0) == .text)
        #expect(row.string(at: 0) == value)
        #expect(row.bytes(at: 0).count == value.utf8.count)
    }

    @Test(arguments: [BindingLifetime.copied, .borrowed])
    func `gives bytes back as text or blob`(lifetime: BindingLifetime) throws {
        for bytes: [UInt8] in [[], [0], [0x61, 0x62], [UInt8](repeating: 0x7A, count: 9_000)] {
            try bytes.withUnsafeBytes { buffer in
                let blob = try echo { try $0.bind(blob: buffer, at: 1, lifetime) }
                #expect(blob.storageType(at: 0) == .blob)
                #expect([UInt8](blob.bytes(at: 0)) == bytes)
                let text = try echo { try $0.bind(text: buffer, at: 1, lifetime) }
                #expect(text.storageType(at: 0) == .text)
                #expect([UInt8](text.bytes(at: 0)) == bytes)
            }
        }
    }

    @Test func `binds an absent buffer as empty and not as NULL`() throws {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(try echo { try $0.bind(blob: nothing, at: 1, .borrowed) }.string(at: 1) == "blob")
        #expect(try echo { try $0.bind(text: nothing, at: 1, .borrowed) }.string(at: 1) == "text")
    }

    @Test func `keeps its values over a reset`() throws {
        let insert = try connection.prepare("INSERT INTO a VALUES (?1)")
        try insert.bind(integer: 7, at: 1)
        try insert.run()
        try insert.run()
        var values: [Int64?] = []
        try connection.prepare("SELECT x FROM a ORDER BY rowid").forEachRow { row in
            values.append(row.isNull(at: 0) ? nil : row.integer(at: 0))
        }
        #expect(values == [7, 7])
    }

    @Test func `names its columns, and whether it writes`() throws {
        let select = try connection.prepare("SELECT x AS first, 2 AS \"s e c\" FROM a WHERE x = ?")
        #expect(select.columnNames == ["first", "s e c"])
        #expect(select.isReadOnly)
        #expect(try !connection.prepare("DELETE FROM a").isReadOnly)
    }

    @Test(arguments: ["", " ", "SELECT 1; SELECT 2", "SELECT 1\0", "-- nothing"])
    func `is exactly one statement`(sql: String) throws {
        #expect(throws: SQLiteError.self) { try connection.prepare(sql) }
    }

    @Test func `names its text in errors`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.prepare("SELECT * FROM absent")
        }
        #expect(error?.code == .error)
        #expect(error?.place == .sql("SELECT * FROM absent"))
        #expect(error?.description.contains("no such table: absent, in SELECT") == true)
        #expect(error?.explanation == "SQLite error 1: no such table: absent.")
    }

    @Test func `refuses a parameter that does not exist`() throws {
        let statement = try connection.prepare("SELECT ?1")
        let error = #expect(throws: SQLiteError.self) { try statement.bindNull(at: 2) }
        #expect(error?.code == .range)
    }

    @Test func `can be used again after an error`() throws {
        try connection.execute("CREATE UNIQUE INDEX i ON a(x)")
        let insert = try connection.prepare("INSERT INTO a VALUES (?1)")
        try insert.bind(integer: 1, at: 1)
        try insert.run()
        #expect(throws: SQLiteError.self) { try insert.run() }
        try insert.bind(integer: 2, at: 1)
        try insert.run()
        let count = try connection.prepare("SELECT count(*) FROM a").single { $0.integer(at: 0) }
        #expect(count == 2)
    }
}
