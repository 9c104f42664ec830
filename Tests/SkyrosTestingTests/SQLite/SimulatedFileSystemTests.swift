import SkyrosDisk
import SkyrosSQLite
import SkyrosTesting
import Testing

/// Tests of the SQLite VFS for simulated disks.
@Suite struct `A SQLite database on a simulated disk` {
    private let disk = SimulatedDisk()
    private let generations = Generations(rowCounts: [0, 5, 9])

    private var journal: String { Generations.name + "-journal" }

    /// SQLite's extended error code of a transaction with a fault; 0 if it succeeds.
    private func code(_ fault: Fault) throws -> Int32 {
        let disk = SimulatedDisk()
        let connection = try generations.open(disk)
        try generations.write(1, to: connection)
        disk.inject(fault)
        do {
            try generations.write(2, to: connection)
            return 0
        } catch let error as SQLiteError {
            return error.extendedCode
        }
    }

    @Test func `is visible to the next connection, also after a kill`() throws {
        let connection = try generations.open(disk)
        try generations.write(1, to: connection)
        #expect(try generations.read(on: disk) == 1)
        try connection.close()
        #expect(try generations.read(on: disk.killed()) == 1)
        #expect(Array(disk.contents.keys) == [Generations.name])
        let bytes = try #require(disk.contents[Generations.name])
        #expect(bytes.starts(with: Array("SQLite format 3".utf8)))
    }

    @Test func `is synced after its journal and before the journal is removed`() throws {
        let connection = try generations.open(disk)
        try generations.write(1, to: connection)
        let first = disk.operations.count
        try generations.write(2, to: connection)
        let steps = disk.operations[first...].filter {
            [.create, .syncFile, .syncDirectory, .remove].contains($0.kind)
        }
        #expect(
            steps.map { "\($0.kind) \($0.path)" } == [
                "create \(journal)", "syncFile \(journal)", "syncDirectory ", "syncFile \(journal)",
                "syncFile \(Generations.name)", "remove \(journal)", "syncDirectory ",
            ])
    }

    @Test(
        arguments: [
            (Fault(.write, reason: .noSpace), 13), (Fault(.write), 778), (Fault(.create), 14),
            (Fault(.syncFile), 1_034), (Fault(.syncFile, reason: .noSpace), 1_034),
            (Fault(.remove), 2_570), (Fault(.syncDirectory, after: 1), 1_290),
            (Fault(.syncDirectory), 0), (Fault(.close), 0),
        ] as [(Fault, Int32)])
    func `fails with the codes of SQLite's Unix file system`(fault: Fault, code: Int32) throws {
        #expect(try self.code(fault) == code)
    }

    @Test(
        arguments: [
            (Fault(.read), 8_458), (Fault(.read, reason: .system(13)), 266),
            (Fault(.open, isLasting: true), 14), (Fault(.status, reason: .inputOutput), 10),
        ] as [(Fault, Int32)])
    func `fails to open with the codes of SQLite's Unix file system`(
        fault: Fault, code: Int32
    ) throws {
        try generations.write(1, to: generations.open(disk))
        disk.inject(fault)
        do {
            _ = try generations.read(on: disk)
            #expect(code == 0)
        } catch let error as SQLiteError {
            #expect(error.extendedCode == code)
        }
    }

    @Test func `fails with readOnly if it cannot be opened for writing`() throws {
        try generations.write(1, to: generations.open(disk))
        disk.inject(Fault(.open))
        let error = #expect(throws: SQLiteError.self) { _ = try generations.open(disk) }
        #expect(error?.code == .readOnly)
    }

    @Test func `has one writer, and readers that see the last commit`() throws {
        let (writer, reader) = (try generations.open(disk), try generations.open(disk))
        try generations.write(1, to: writer)
        try writer.execute("BEGIN IMMEDIATE")
        try writer.execute("DELETE FROM row")
        #expect(try generations.read(reader) == 1)
        let busy = #expect(throws: SQLiteError.self) { try generations.write(2, to: reader) }
        #expect(busy?.code == .busy)
        // An open read transaction blocks the commit, whose pending lock blocks new readers.
        try reader.execute("BEGIN; SELECT count(*) FROM row")
        let waiting = #expect(throws: SQLiteError.self) { try writer.execute("COMMIT") }
        #expect(waiting?.code == .busy)
        let third = try generations.open(disk.killed())
        #expect(try generations.read(third) == 1)
        try reader.execute("COMMIT")
        try writer.execute("ROLLBACK")
        #expect(try generations.read(reader) == 1)
    }

    @Test func `refuses writes after it was renamed`() throws {
        let connection = try generations.open(disk)
        try generations.write(1, to: connection)
        let path = DiskPath(.root, Generations.name)
        try disk.rename(path, to: DiskPath(.root, "other"))
        let error = #expect(throws: SQLiteError.self) { try generations.write(2, to: connection) }
        #expect(error?.extendedCode == 1_032)
    }

    @Test func `keeps its disk alive while it is open`() throws {
        let connection = try generations.open(SimulatedDisk())
        try generations.write(1, to: connection)
        #expect(try generations.read(connection) == 1)
        try connection.close()
    }

    @Test func `cannot be opened without its disk or outside it`() throws {
        let directory = try #require(disk.databaseDirectory)
        #expect(SimulatedDisk(hasCheckpoints: false).databaseDirectory == nil)
        let gone = try #require(SimulatedDisk().databaseDirectory)
        for path in ["\(gone.path)/a", "/simulated/a/b", "/a", "\(directory.path)/elsewhere/a"] {
            let error = #expect(throws: SQLiteError.self) {
                _ = try Connection(ConnectionOptions(.file(path), vfs: directory.vfs))
            }
            #expect(error?.code == .cannotOpen)
        }
        #expect(disk.operations.isEmpty)
    }

    @Test func `keeps temporary tables off the disk`() throws {
        let connection = try generations.open(disk)
        try generations.write(1, to: connection)
        let first = disk.operations.count
        try connection.execute(
            """
            PRAGMA temp_store=FILE;
            PRAGMA temp.cache_size=1;
            CREATE TEMP TABLE many(content);
            WITH RECURSIVE number(value) AS (
                SELECT 1 UNION ALL SELECT value + 1 FROM number LIMIT 2000
            ) INSERT INTO many SELECT hex(zeroblob(100)) FROM number;
            """)
        let count = try connection.prepare("SELECT count(*) FROM many").single { $0.integer(at: 0) }
        #expect(count == 2_000)
        #expect(disk.operations[first...].allSatisfy { !$0.kind.changesDisk })
        #expect(Array(disk.contents.keys) == [Generations.name])
    }

    @Test func `rolls back the transaction of a killed process`() throws {
        // The small cache spills pages before the commit.
        let small = Generations(rowCounts: [0, 50, 60], cacheBytesMax: 1)
        let connection = try small.open(disk)
        try small.write(1, to: connection)
        try connection.execute("BEGIN IMMEDIATE; DELETE FROM row WHERE number > 5")
        try connection.execute("UPDATE row SET content = zeroblob(90000)")
        let killed = disk.killed()
        #expect(killed.contents[journal]?.isEmpty == false)
        let durable = disk.crashed(keeping: 0).contents
        #expect(killed.contents[Generations.name] != durable[Generations.name])
        #expect(try small.read(on: killed) == 1)
        #expect(killed.contents[journal] == nil)
    }
}
