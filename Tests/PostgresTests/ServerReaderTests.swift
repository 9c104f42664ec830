#if Postgres
    import Foundation
    import Skyros
    import SkyrosPostgres
    import TestSupport
    import Testing

    /// `docs/read_server.py`, over the cursor of psycopg.
    @Suite(
        .serialized,
        .enabled(
            if: DatabaseServer.isInstalled && ServerReader.isInstalled,
            "needs psycopg: scripts/setup --cluster"), .mayHang)
    struct `A reader in another language over a server` {
        @Test func `folds events and compressed ones to the same records`() throws {
            let database = try DatabaseServer()
            try database.start()
            let directory = try TemporaryDirectory()
            let files = directory.url.appending(path: "files")
            let local = try Store(at: files, entities: Note.self)
            for id in 1...3_000 {
                try local.write(durability: .deferred) {
                    try $0.upsert(Note(id: id % 100, text: "\(id)"))
                }
            }
            try local.close()
            let place = StorePlace.postgres(
                database.url(), cache: directory.url.appending(path: "cache"), schema: "it's",
                allowsWeakDurability: true)
            _ = try Archive(at: files).copy(to: place)
            let node = try Store(at: place, entities: Note.self)
            try node.write { try $0.delete(Note.self, 7) }
            let counts = try database.query(
                "SELECT (SELECT count(*) > 0 FROM \"it's\".frame), "
                    + "(SELECT count(*) > 0 FROM \"it's\".event)")
            #expect(counts.hasPrefix("t|t"))
            let state = node.snapshot
            let expected = "\(try state.digest()) \(state.sequence)"
            #expect(try ServerReader.fold(database.url(), schema: "it's") == expected)
            try node.close()
        }
    }

    private enum ServerReader {
        private static let python = Repository.root.appending(path: ".build/python/bin/python3")

        static let isInstalled = (try? run("import psycopg")) != nil

        /// The digest of the records that the reader makes, and the last number.
        static func fold(_ url: String, schema: String) throws -> String {
            try run(
                """
                import sys
                sys.dont_write_bytecode = True
                sys.path.insert(0, sys.argv[1])
                import psycopg, read_log, read_server
                cursor = psycopg.connect(sys.argv[2]).cursor()
                records, chain_hash, last = read_server.fold(cursor, sys.argv[3])
                print(read_log.digest(records), last)
                """, Repository.root.appending(path: "docs").path, url, schema)
        }

        private static func run(_ program: String, _ arguments: String...) throws -> String {
            try DatabaseServer.shell([python.path, "-c", program] + arguments)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
#endif
