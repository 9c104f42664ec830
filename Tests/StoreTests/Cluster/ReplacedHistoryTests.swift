import Foundation
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private enum Older {
    struct Ticket: Entity {
        var id: Int
        var title: String
    }

    struct Guest: Entity {
        var id: Int
        var mail: String
    }
}

private enum Newer {
    struct Ticket: Entity {
        var id: String
        var title: String
        static let evolution: Evolution<Ticket> = [.version(2) { .retype("id", .integerToText) }]
    }

    struct Guest: Entity {
        var id: Int
        var email: String
        static let evolution: Evolution<Guest> = [
            .version(2) { .rename("mail", to: "email") }
        ]
    }
}

/// Open nodes whose servers were restored from a backup.
@Suite(.mayHang) struct `A history that replaces the one of open nodes` {
    private let nodes = SimulatedNodes()

    /// Gives the servers their first events only, and waits until all stores have begun again.
    private func restore(_ count: Int, of stores: Store...) async {
        let sessions = stores.map(\.session)
        nodes.quorum.restore(batchCount: count)
        for (store, session) in zip(stores, sessions) {
            while store.session === session { await Task.yield() }
        }
    }

    @Test func `ends child stores and undos of the former one`() async throws {
        let store = try nodes.store("one")
        for id in 1...3 { try await store.write { tx in try tx.insert(Note(id: id, text: "")) } }
        let draft = store.fork()
        let attempt = try UndoAttempt(.event(3), .refuse, nil, in: store)
        await restore(1, of: store)
        try await store.waitUntilWriter()
        #expect(code { _ = try draft.refresh() } == .historyChanged)
        #expect(code { try draft.write { _ in } } == .historyChanged)
        #expect(
            code {
                try store.write { tx in
                    _ = try attempt.stage(in: &tx, of: store, expecting: { _ in })
                }
            } == .historyChanged)
        #expect(store.sequence == 1)
    }

    @Test func `gets ids of the newer type from a node that may write`() async throws {
        let old = try nodes.store("old", of: [Older.Ticket.self])
        for id in 1...2 {
            try await old.write { tx in try tx.insert(Older.Ticket(id: id, title: "")) }
        }
        try old.close()
        let writer = try nodes.store("one", of: [Newer.Ticket.self])
        let reader = try nodes.store("two", .reader, of: [Newer.Ticket.self])
        #expect(reader.sequence == 3)
        await restore(2, of: writer, reader)
        try await writer.waitUntilWriter()
        let receipt = try await writer.writeWithReceipt { tx in
            try tx.insert(Newer.Ticket(id: "new", title: ""))
        }.receipt
        #expect(receipt.sequence == 4)
        for store in [writer, reader] {
            let state = try await store.read(after: receipt)
            #expect(try state.all(Newer.Ticket.self).map(\.id).sorted() == ["1", "2", "new"])
        }
    }

    @Test func `is copied before a newer shape is written to it`() async throws {
        let directory = try TemporaryDirectory()
        let disk = try StoreDirectory.disk(at: directory.store, creating: true)
        let old = try nodes.store("old", of: [Older.Guest.self])
        for id in 1...3 {
            try await old.write { tx in try tx.insert(Older.Guest(id: id, mail: "")) }
        }
        try old.close()
        let store = try nodes.store("one", on: disk, of: [Newer.Guest.self])
        try await store.write { tx in try tx.insert(Newer.Guest(id: 4, email: "")) }
        await restore(2, of: store)
        try await store.waitUntilWriter()
        try await store.write { tx in try tx.insert(Newer.Guest(id: 4, email: "")) }
        let backups = directory.store.appending(path: "backups")
        let names = try FileManager.default.contentsOfDirectory(atPath: backups.path)
        let copies = try names.map { try Archive(at: backups.appending(path: $0)).sequence }
        #expect(copies.sorted() == [2, 3])
    }
}
