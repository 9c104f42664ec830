#if Postgres
    import Foundation
    import Skyros
    import SkyrosDisk
    import SkyrosPostgres
    import TestSupport
    import Testing

    @Suite(.serialized, .enabled(if: DatabaseServer.isInstalled), .mayHang)
    struct `A store on a PostgreSQL server` {
        private let database: DatabaseServer
        private let directory: TemporaryDirectory

        init() throws {
            database = try DatabaseServer()
            try database.start()
            directory = try TemporaryDirectory()
        }

        private func store(_ name: String, _ role: NodeRole = .automatic) throws -> Store {
            let place = StorePlace.postgres(
                database.url(), cache: directory.url.appending(path: name), role: role,
                node: name, allowsWeakDurability: true)
            return try Store(at: place, entities: Note.self)
        }

        private func inserted(_ id: Int, in store: Store) throws -> Receipt {
            try store.writeWithReceipt(by: "ann") { try $0.insert(Note(id: id, text: "t")) }.receipt
        }

        @Test func `is written by one node and read by others`() async throws {
            let (writer, reader) = (try store("one"), try store("two"))
            let receipt = try inserted(1, in: writer)
            let state = try await reader.read(after: receipt)
            #expect(try state.get(Note.self, 1) != nil)
            #expect(try state.digest() == writer.snapshot.digest())
            let error = failure(as: StoreError.self) { _ = try inserted(2, in: reader) }
            #expect(error?.code == .alreadyOpen)
            #expect(error?.message.contains("one") == true)
            try writer.close()
            try await reader.waitUntilWriter()
            _ = try inserted(2, in: reader)
            try reader.close()
            let late = try store("three", .reader)
            #expect(try late.all(Note.self).map(\.id) == [1, 2])
        }

        @Test func `is the newest of all nodes if it is asked for`() async throws {
            let (writer, reader) = (try store("one"), try store("two", .reader))
            for id in 1...20 {
                _ = try inserted(id, in: writer)
                #expect(try await reader.readLatest().get(Note.self, id) != nil)
            }
            try reader.close()
            try writer.close()
        }

        @Test func `is written again as soon as it is resumed`() throws {
            let store = try store("one")
            for id in 1...200 {
                store.suspend()
                try store.resume()
                _ = try inserted(id, in: store)
            }
            try store.close()
        }

        @Test func `is copied from files to the server and back`() throws {
            let files = directory.url.appending(path: "files")
            let local = try Store(at: files, entities: Note.self)
            for id in 1...5_000 {
                try local.write(durability: .deferred) {
                    try $0.upsert(Note(id: id % 100, text: "\(id)"))
                }
            }
            try local.setPosition(ofSubscription: "mail", to: 4_000)
            try local.close()
            let place = StorePlace.postgres(
                database.url(), cache: directory.url.appending(path: "cache"), schema: "copied",
                allowsWeakDurability: true)
            let archive = try Archive(at: files)
            let report = try archive.copy(to: place)
            #expect(report.copiedEvents == 5_000 && report.sequence == 5_000)
            #expect(try report.digest == archive.snapshot().digest())
            #expect(try archive.copy(to: place).copiedEvents == 0)
            // Most of it is compressed there.
            let rows = try database.query("SELECT count(*) FROM copied.event")
            #expect(try #require(Int(rows.trimmingCharacters(in: .whitespacesAndNewlines))) < 3_100)
            let node = try Store(at: place, entities: Note.self)
            #expect(try node.snapshot.digest() == report.digest)
            #expect(try node.position(ofSubscription: "mail") == 4_000)
            try node.write { try $0.delete(Note.self, 7) }
            try node.close()
            // Now the server has later events.
            let error = failure(as: StoreError.self) { _ = try archive.copy(to: place) }
            #expect(error?.code == .historyChanged)
            let back = directory.url.appending(path: "back")
            let second = try Archive.copy(from: place, to: back)
            #expect(second.copiedEvents == 5_001)
            #expect(try Archive.copy(from: place, to: back).copiedEvents == 0)
            let again = try Store(at: back, entities: Note.self)
            #expect(try again.get(Note.self, 7) == nil && again.sequence == 5_001)
            #expect(try again.position(ofSubscription: "mail") == 4_000)
            try again.write { try $0.insert(Note(id: 7, text: "again")) }
            try again.close()
            let other = failure(as: StoreError.self) { _ = try Archive.copy(from: place, to: back) }
            #expect(other?.code == .historyChanged)
            // It is still a store.
            #expect(try Store(at: back, entities: Note.self).sequence == 5_002)
        }

        @Test func `has its history replaced if the server is restored`() async throws {
            let store = try store("one")
            for id in 1...5 { _ = try inserted(id, in: store) }
            try store.close()
            try database.query("DELETE FROM skyros.event WHERE sequence > 3")
            let again = try self.store("one")
            #expect(again.recovery.historyReplacedAfter == 3)
            #expect(try again.all(Note.self).map(\.id) == [1, 2, 3])
            _ = try inserted(9, in: again)
            #expect(again.sequence == 4)
            try again.close()
        }

        @Test func `is written again after its server has restarted`() async throws {
            let store = try store("one")
            _ = try inserted(1, in: store)
            database.kill()
            try database.start()
            _ = try inserted(2, in: store)
            #expect(store.sequence == 2)
        }
    }
#endif
