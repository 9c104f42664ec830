import Foundation
import SkyrosDisk
import TestSupport
import Testing

@testable import SkyrosSQLite

/// A connection that is kept from changing its files in the middle of a transaction.
@Suite struct `A gated database` {
    private let directory: TemporaryDirectory
    private let gate = ChangeGate()
    private let disk: PosixDisk

    private var path: String {
        directory.url.resolvingSymlinksInPath().appending(path: "a.sqlite").path
    }

    init() throws {
        directory = try TemporaryDirectory()
        disk = try PosixDisk(path: directory.url.resolvingSymlinksInPath().path, creating: false)
    }

    private func gated() throws -> Connection {
        let gate = ConnectionOptions.Gate(gate) { [disk] in disk.databaseDirectory?.sync() ?? false
        }
        return try Connection(ConnectionOptions(.file(path), gate: gate))
    }

    private func plain() throws -> Connection { try Connection(ConnectionOptions(.file(path))) }

    private func sum(_ connection: Connection) throws -> Int64? {
        try connection.prepare("SELECT sum(x) FROM a").single { $0.integer(at: 0) }
    }

    @Test func `works as any other while the gate is open`() throws {
        let connection = try gated()
        try connection.execute("CREATE TABLE a(x); INSERT INTO a VALUES (1), (2)")
        try connection.transaction { try connection.execute("UPDATE a SET x = x + 1") }
        #expect(try sum(connection) == 5)
        try connection.close()
        #expect(try sum(plain()) == 5)
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    }

    /// The cache holds few pages, so that the transaction has changed the file already.
    @Test func `is rolled back by another connection if the gate closes (F56)`() throws {
        let gated = ConnectionOptions.Gate(gate) { true }
        let connection = try Connection(
            ConnectionOptions(.file(path), cacheBytesMax: 16 << 10, gate: gated))
        try connection.execute(
            """
            CREATE TABLE a(x, y);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO a SELECT 1, zeroblob(500) FROM n
            """)
        let other = try plain()
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("UPDATE a SET x = 2")
        #expect(FileManager.default.fileExists(atPath: path + "-journal"))
        // Its locks are held.
        #expect(throws: SQLiteError.self) { try sum(other) }
        gate.close()
        #expect(throws: SQLiteError.self) { try connection.execute("COMMIT") }
        disk.databaseDirectory?.dropLocks(of: "a.sqlite")
        #expect(try sum(other) == 2_000)
        try other.execute("UPDATE a SET x = 3")
        // What the first connection still does changes nothing.
        _ = try? connection.execute("ROLLBACK")
        #expect(throws: SQLiteError.self) { try connection.execute("UPDATE a SET x = 4") }
        try? connection.close()
        #expect(try sum(other) == 6_000)
        #expect(try other.prepare("PRAGMA integrity_check").single { $0.string(at: 0) } == "ok")
        try other.close()
        gate.open()
        #expect(try sum(self.gated()) == 6_000)
    }

    private func createTable() throws -> Connection {
        let connection = try gated()
        try connection.execute("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
        return connection
    }

    /// The connection has the lock, so that it creates its journal next.
    private func expectNoJournal(_ connection: Connection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        gate.close()
        #expect(throws: SQLiteError.self) { try connection.execute("UPDATE a SET x = 2") }
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    }

    @Test func `keeps its gate while another connection reads with another one (F56)`() throws {
        let connection = try createTable()
        let other = ConnectionOptions.Gate(ChangeGate()) { true }
        let reader = try Connection(
            ConnectionOptions(.file(path), access: .readOnly, gate: other))
        #expect(try sum(reader) == 1)
        try expectNoJournal(connection)
        // The reader has its own gate, which is open.
        #expect(try sum(reader) == 1)
        try reader.close()
    }

    @Test func `cannot be read by a connection whose gate is closed`() throws {
        let connection = try createTable()
        let closed = ChangeGate()
        let reader = try Connection(
            ConnectionOptions(
                .file(path), access: .readOnly, gate: ConnectionOptions.Gate(closed) { true }))
        closed.close()
        // It would have to take a lock.
        #expect(throws: SQLiteError.self) { try sum(reader) }
        try connection.execute("UPDATE a SET x = 2")
    }

    @Test func `keeps its gate if the path of another differs in its normal form only`() throws {
        let names = ["\u{e4}.sqlite", "a\u{308}.sqlite"].map { path + $0 }
        let gates = [ChangeGate(), ChangeGate()]
        let registrations = zip(names, gates).map { name, gate in
            GatedFileSystem.register(
                ConnectionOptions.Gate(gate) { true }, for: name, readOnly: false)
        }
        for (name, gate) in zip(names, gates) {
            #expect(GatedFileSystem.registered(for: name + "-journal")?.gate === gate)
        }
        for registration in registrations { GatedFileSystem.remove(registration) }
    }

    @Test func `has a gate until it is closed, or that of a later connection`() throws {
        let (first, second) = (try createTable(), try gated())
        try first.close()
        #expect(GatedFileSystem.registered(for: path)?.gate === gate)
        try second.close()
        #expect(GatedFileSystem.registered(for: path)?.gate == nil)
    }
}
