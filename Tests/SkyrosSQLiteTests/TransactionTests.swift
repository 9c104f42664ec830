import SkyrosSQLite
import Testing

@Suite struct `A transaction` {
    private struct Refusal: Error {}

    private let connection: Connection

    init() throws {
        connection = try Connection(ConnectionOptions(.memory))
        try connection.execute("CREATE TABLE a(x INTEGER PRIMARY KEY)")
    }

    private func count() throws -> Int64? {
        try connection.prepare("SELECT count(*) FROM a").single { $0.integer(at: 0) }
    }

    @Test func `keeps everything when its body returns`() throws {
        let result = try connection.transaction {
            try connection.execute("INSERT INTO a VALUES (1), (2)")
            return 7
        }
        #expect(result == 7)
        #expect(try count() == 2)
        #expect(!connection.isInTransaction)
    }

    @Test func `keeps nothing when its body throws`() throws {
        #expect(throws: Refusal.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO a VALUES (1)")
                throw Refusal()
            }
        }
        #expect(try count() == 0)
        #expect(!connection.isInTransaction)
    }

    @Test func `throws the first error even if SQLite has rolled back already`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO a VALUES (1)")
                try connection.execute("INSERT OR ROLLBACK INTO a VALUES (1)")
            }
        }
        #expect(error?.code == .constraint)
        #expect(try count() == 0)
    }

    @Test func `does not begin inside another, which stays open`() throws {
        try connection.transaction {
            try connection.execute("INSERT INTO a VALUES (1)")
            #expect(throws: SQLiteError.self) { try connection.transaction(.deferred) {} }
            #expect(connection.isInTransaction)
        }
        #expect(try count() == 1)
    }
}
