#if Postgres
    import Foundation
    import Skyros
    import SkyrosDisk
    import SkyrosPostgres
    import TestSupport
    import Testing

    @Suite(.serialized, .enabled(if: DatabaseServer.isInstalled), .mayHang)
    struct `A PostgreSQL server that was restored` {
        private let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
        }

        private func store(_ name: String, at url: String) throws -> Store {
            let place = StorePlace.postgres(
                url, cache: directory.url.appending(path: name), node: name,
                allowsWeakDurability: true)
            return try Store(at: place, entities: Note.self)
        }

        private func insert(_ ids: ClosedRange<Int>, in store: Store) throws {
            for id in ids { try store.write { try $0.insert(Note(id: id, text: "")) } }
        }

        /// A node that has seen events which the server no longer has, and one that has not.
        private func checkNodes(of url: String) throws {
            let node = try store("one", at: url)
            #expect(node.recovery.historyReplacedAfter == 5)
            #expect(try node.all(Note.self).map(\.id) == [1, 2, 3, 4, 5])
            try insert(9...9, in: node)
            #expect(node.sequence == 6)
            try node.close()
            let other = try store("two", at: url)
            #expect(try other.all(Note.self).map(\.id) == [1, 2, 3, 4, 5, 9])
            #expect(other.recovery.historyReplacedAfter == nil)
            try other.close()
        }

        @Test func `from pg_dump is noticed by a node that has later events`() throws {
            let database = try DatabaseServer()
            try database.start()
            let file = directory.url.appending(path: "dump.sql").path
            let node = try store("one", at: database.url())
            try insert(1...5, in: node)
            try database.dump("skyros", to: file)
            try insert(6...7, in: node)
            try node.close()
            try database.load(file, as: "restored")
            try checkNodes(of: database.url("restored"))
        }

        @Test func `to a moment is noticed by a node that has later events`() throws {
            let archive = "/tmp/skyros-pg-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: archive) }
            let database = try DatabaseServer(
                settings: DatabaseServer.archiving(in: archive))
            try database.start()
            let node = try store("one", at: database.url())
            try insert(1...3, in: node)
            let restored = try DatabaseServer(of: database, name: "n2")
            try insert(4...5, in: node)
            try database.query("SELECT pg_create_restore_point('five')")
            try insert(6...7, in: node)
            try node.close()
            let last = try database.query("SELECT pg_walfile_name(pg_switch_wal())")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            while try !database.query("SELECT last_archived_wal >= '\(last)' FROM pg_stat_archiver")
                .hasPrefix("t")
            {}
            database.kill()
            try restored.recover(from: archive, through: "five")
            try checkNodes(of: restored.url())
        }
    }
#endif
