import SkyrosDisk
import SkyrosSQLite
import SkyrosTesting

/// A database that each transaction rewrites completely. After any crash all rows must be of one
/// generation, and as many as that generation has.
struct Generations {
    static let name = "a.sqlite"

    /// The number of rows of each generation; a row fills about a page.
    let rowCounts: [Int]
    /// If small, SQLite spills pages before the commit.
    var cacheBytesMax = 16 << 20

    func open(_ disk: SimulatedDisk) throws -> Connection {
        guard let directory = disk.databaseDirectory else {
            throw CrashFinding(description: "SQLite cannot use the disk")
        }
        return try Connection(
            ConnectionOptions(
                .file(directory.path(of: Self.name)), cacheBytesMax: cacheBytesMax,
                vfs: directory.vfs))
    }

    /// Rewrites the database from any generation to this one, in one transaction.
    func write(_ generation: Int, to connection: Connection) throws {
        try connection.transaction {
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS row(number INTEGER PRIMARY KEY, generation, content);
                DELETE FROM row WHERE number % 3 = 0;
                """)
            let insert = try connection.prepare("INSERT OR REPLACE INTO row VALUES(?1, ?2, ?3)")
            for number in 0..<rowCounts[generation] {
                try insert.bind(integer: Int64(number), at: 1)
                try insert.bind(integer: Int64(generation), at: 2)
                try insert.bind(string: Self.content(number, generation), at: 3)
                try insert.run()
            }
            try connection.execute("DELETE FROM row WHERE number >= \(rowCounts[generation])")
        }
    }

    private static func content(_ number: Int, _ generation: Int) -> String {
        String(repeating: "\(generation)", count: 700 + number * 37 % 900)
    }

    /// The generation that the database holds; nil if it is empty.
    ///
    /// - Throws: `CrashFinding` if it is a mixture; errors of SQLite.
    func read(_ connection: Connection) throws -> Int? {
        guard try connection.prepare("PRAGMA table_info(row)").single({ _ in true }) ?? false else {
            return nil
        }
        var found: [(number: Int, generation: Int, content: String)] = []
        try connection.prepare("SELECT * FROM row ORDER BY number").forEachRow { row in
            found.append((Int(row.integer(at: 0)), Int(row.integer(at: 1)), row.string(at: 2)))
        }
        let generation = found.first?.generation ?? 0
        guard rowCounts.indices.contains(generation), found.count == rowCounts[generation] else {
            throw CrashFinding(description: "\(found.count) rows of generation \(generation)")
        }
        for (index, row) in found.enumerated() {
            guard row.number == index, row.generation == generation,
                row.content == Self.content(index, generation)
            else {
                throw CrashFinding(
                    description: "row \(row.number) of generation \(row.generation) is at "
                        + "\(index) of generation \(generation)")
            }
        }
        let check = try connection.prepare("PRAGMA integrity_check").single { $0.string(at: 0) }
        guard check == "ok" else { throw CrashFinding(description: check ?? "no answer") }
        return generation
    }

    /// Opens the database on a disk after a crash, and reads it.
    func read(on disk: SimulatedDisk) throws -> Int? {
        let connection = try open(disk)
        let generation = try read(connection)
        try connection.close()
        return generation
    }
}
