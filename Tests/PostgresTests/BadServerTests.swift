#if Postgres
    import Foundation
    import Skyros
    import SkyrosDisk
    import SkyrosLog
    import SkyrosPostgres
    import TestSupport
    import Testing

    @Suite(.serialized, .enabled(if: DatabaseServer.isInstalled))
    struct `A PostgreSQL server that cannot be used` {
        private let database: DatabaseServer
        private let directory: TemporaryDirectory

        init() throws {
            database = try DatabaseServer()
            try database.start()
            directory = try TemporaryDirectory()
        }

        private func store(
            _ name: String = "node", schema: String = "skyros", url: String? = nil,
            _ options: Store.Options = Store.Options()
        ) throws -> Store {
            let place = StorePlace.postgres(
                url ?? database.url(), cache: directory.url.appending(path: name), schema: schema,
                node: name, allowsWeakDurability: true)
            return try Store(at: place, entities: Note.self, options: options)
        }

        private func refusal(
            _ name: String = "node", schema: String = "skyros", url: String? = nil
        ) -> StoreError? {
            failure(as: StoreError.self) { _ = try store(name, schema: schema, url: url) }
        }

        @Test func `is refused for a URL that leads nowhere`() throws {
            #expect(refusal(url: "http://127.0.0.1/notes")?.code == .invalidInput)
            let port = try DatabaseServer.freePort()
            let nobody = refusal(url: "postgresql://skyros@127.0.0.1:\(port)/postgres")
            #expect(nobody?.code == .serverUnavailable)
            #expect(nobody?.message.contains("\(port)") == true)
        }

        @Test func `is refused for a user without rights`() throws {
            try database.query("CREATE ROLE guest LOGIN")
            let url = database.url().replacing("skyros@", with: "guest@")
            #expect(url != database.url())
            let error = refusal(url: url)
            #expect(error?.code == .io && error?.message.contains("permission denied") == true)
            // Of a store that others may use.
            let owner = try store("owner")
            try owner.write { try $0.insert(Note(id: 1, text: "")) }
            try owner.close()
            #expect(refusal(url: url)?.message.contains("permission denied") == true)
            #expect(try store("owner").count(Note.self) == 1)
        }

        @Test func `says what is wrong with the account or the database`() throws {
            for (from, to, text) in [
                ("/postgres", "/nowhere", "database \"nowhere\" does not exist"),
                ("skyros@", "stranger@", "role \"stranger\" does not exist"),
            ] {
                let error = refusal(url: database.url().replacing(from, with: to))
                #expect(error?.code == .serverUnavailable)
                #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
            }
            try database.query("CREATE ROLE guard LOGIN PASSWORD 'right'")
            try database.requirePasswords()
            let url = database.url().replacing("skyros@", with: "guard:secret@")
            var error: StoreError?
            // Until the server asks for a password, the account has no rights.
            repeat { error = refusal(url: url) } while error?.code == .io
            #expect(error?.code == .serverUnavailable)
            #expect(error?.message.contains("password authentication failed") == true)
            #expect(error?.message.contains("secret") == false)
        }

        @Test func `loses nothing when its disk is full`() throws {
            let store = try store()
            try store.write { try $0.insert(Note(id: 1, text: "")) }
            // As the error of a table space without room.
            try database.query(
                "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
                    + "$$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$; "
                    + "CREATE TRIGGER full_disk BEFORE INSERT ON skyros.event "
                    + "FOR EACH ROW EXECUTE FUNCTION full_disk()")
            let error = failure(as: StoreError.self) {
                try store.write { try $0.insert(Note(id: 2, text: "")) }
            }
            #expect(error?.code == .diskFull)
            try database.query("DROP TRIGGER full_disk ON skyros.event")
            // The node takes its turn again.
            while true {
                let error = failure(as: StoreError.self) {
                    try store.write { try $0.insert(Note(id: 3, text: "")) }
                }
                if error == nil { break }
                #expect([.diskFull, .alreadyOpen].contains(error?.code))
            }
            #expect(try store.all(Note.self).map(\.id) == [1, 3] && store.sequence == 2)
        }

        @Test func `is refused for a schema that is not one of ours`() throws {
            try database.query("CREATE SCHEMA theirs; CREATE TABLE theirs.log (id int, text text)")
            try database.query("INSERT INTO theirs.log VALUES (1, 'not a store')")
            #expect(refusal(schema: "theirs")?.code == .notAStore)
            #expect(refusal(schema: "theirs")?.message.contains("another program") == true)
            #expect(try database.query("SELECT text FROM theirs.log").contains("not a store"))
            for name in ["event", "frame", "subscription"] {
                try database.query("CREATE SCHEMA \(name)s")
                // With the columns of ours.
                try database.query(
                    "CREATE TABLE \(name)s.\(name) (name text PRIMARY KEY, first bigint, "
                        + "last bigint, chain_before bigint, chain_after bigint, zstd bytea, "
                        + "sequence bigint, chain bigint, event bytea, origin bigint, "
                        + "keeps_history boolean)")
                let error = refusal(schema: "\(name)s")
                #expect(error?.code == .notAStore)
                #expect(error?.message.contains("\"\(name)\"") == true, "\(error?.message ?? "")")
                let tables = try database.query(
                    "SELECT tablename FROM pg_tables WHERE schemaname = '\(name)s'")
                #expect(tables == "\(name)\n")
            }
        }

        @Test func `is refused for tables of a later version`() throws {
            try store("first", schema: "newer").close()
            func refuse(_ code: StoreError.Code) {
                for name in ["first", "second"] {
                    let error = refusal(name, schema: "newer")
                    #expect(error?.code == code, "\(error?.message ?? "")")
                }
            }
            try database.query("UPDATE newer.log SET version = version + 1")
            refuse(.unsupportedFormat)
            try database.query("ALTER TABLE newer.event RENAME chain TO hash")
            refuse(.unsupportedFormat)
            try database.query("DROP TABLE newer.frame")
            refuse(.unsupportedFormat)
            // No version has such tables.
            try database.query("UPDATE newer.log SET version = version - 1")
            refuse(.logCorrupt)
        }

        @Test func `is refused for numbers that are not possible`() throws {
            try store("first").close()
            try database.query("INSERT INTO skyros.event VALUES (\(Int64.min), 0, '', 0)")
            #expect(refusal("second")?.code == .logCorrupt)
            try database.query("DELETE FROM skyros.event")
            try database.query(
                "ALTER TABLE skyros.frame DROP CONSTRAINT frame_first_check")
            try database.query("INSERT INTO skyros.event VALUES (-5, 0, '', 0)")
            #expect(refusal("second")?.code == .logCorrupt)
            try database.query("DELETE FROM skyros.event")
            try database.query("INSERT INTO skyros.frame VALUES (0, 9, 0, 0, '')")
            #expect(refusal("second")?.code == .logCorrupt)
            try database.query("DELETE FROM skyros.frame")
            try store("second").close()
        }

        @Test func `is refused for the copy of another store`() throws {
            try store("node").close()
            let error = refusal("node", schema: "others")
            #expect(error?.code == .foreignStore)
            try store("node").close()
        }

        @Test func `gets no event above the limit`() throws {
            var options = Store.Options()
            options.eventBytesMax = 1_000
            let store = try store("node", options)
            let error = failure(as: StoreError.self) {
                try store.write {
                    try $0.insert(Note(id: 1, text: String(repeating: "x", count: 2_000)))
                }
            }
            #expect(error?.code == .limitExceeded)
            try store.write { try $0.insert(Note(id: 2, text: "")) }
            #expect(try store.all(Note.self).map(\.id) == [2] && store.sequence == 1)
        }
    }
#endif
