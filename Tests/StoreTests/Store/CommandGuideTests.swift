import Foundation
import Skyros
import TestSupport
import Testing

private struct Account: Entity, Equatable {
    var id: UUID
    var cents = 0
}

private struct Posting: Entity, Equatable {
    var id: UUID
    var cents: Int
    var at: Date
}

private struct Balance: Codable, Equatable { var cents: Int }

private enum Refusal: Error { case overdrawn }

private struct Transfer: Command {
    var from, to: UUID
    var cents: Int

    func run(_ tx: inout WriteTransaction) throws -> Balance {
        let left = try tx.update(Account.self, from) { account in
            guard account.cents >= cents else { throw Refusal.overdrawn }
            account.cents -= cents
            return account.cents
        }
        try tx.update(Account.self, to) { $0.cents += cents }
        try tx.insert(Posting(id: tx.newID(), cents: cents, at: tx.now))
        return Balance(cents: left)
    }
}

@Suite struct `The guide to commands` {
    @Test func `performs commands, executes them again, and follows another course`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.store
        let store = try Store(at: url, entities: Account.self, Posting.self)
        let (ada, bob) = (UUID(), UUID())
        try store.write { try $0.insert(Account(id: ada, cents: 2_000)) }
        try store.write { try $0.insert(Account(id: bob)) }

        let balance = try store.perform(
            Transfer(from: ada, to: bob, cents: 500), by: "ada", because: "rent")
        #expect(balance == Balance(cents: 1_500))
        try store.write { try $0.update(Account.self, bob) { $0.cents += 10 } }
        try store.perform(Transfer(from: bob, to: ada, cents: 300))
        try store.close()

        let archive = try Archive(at: url, entities: [Account.self, Posting.self])
        let found = try archive.reexecute([Transfer.self])
        print(found)  // All 2 commands do today what they did.
        #expect(found.description == "All 2 commands do today what they did.")

        let outcome = try WhatIf(in: archive, commands: [Transfer.self])
            .skipping(4)
            .editing(5, as: Transfer.self) { $0.cents = 100 }
            .run()
        for difference in outcome.differences() {
            print(difference.entity, difference.id, try difference.changes)
        }
        #expect(outcome.differences().count == 3)
        #expect(try outcome.state.get(Account.self, bob)?.cents == 400)
    }

    @Test func `find the event that broke something`() throws {
        let store = try Store(inMemory: Account.self)
        for cents in [5, -7, -8] {
            let account = Account(id: UUID(), cents: cents)
            try store.write(by: "eve", because: "\(cents)") { try $0.insert(account) }
        }
        let archive = try store.archive()
        let found = try archive.bisect { state in
            try state.first(Account.self, where: \.cents < 0) == nil
        }
        if let event = found.event {
            print(event.sequence, event.metadata.actor ?? "-", event.metadata.reason ?? "-")
            for change in try event.changes(of: Account.self) {
                print(try change.before?.cents ?? 0, "→", try change.after?.cents ?? 0)
            }
        }
        #expect(found.event?.sequence == 2)
    }

    @Test func `writes a test from a log`() throws {
        let directory = try TemporaryDirectory()
        let fixture = directory.url.appending(path: "bug17.skyros")
        let store = try Store(inMemory: Account.self)
        for cents in [5, 7, -8] {
            try store.write { try $0.insert(Account(id: UUID(), cents: cents)) }
        }
        let archive = try store.archive()

        func isSolvent(_ state: Snapshot) throws -> Bool {
            try state.first(Account.self, where: \.cents < 0) == nil
        }
        if let event = try archive.bisect(isSolvent).event {
            let history = try archive.distill(event.sequence, into: fixture, isSolvent)
            print("\(history.recordCount) of \(history.originalRecordCount) records")
        }

        let short = try Archive(at: fixture, entities: [Account.self])
        let outcome = try WhatIf(in: short, commands: [Transfer.self])
            .starting(after: short.sequence.advanced(by: -1)).run()
        let answer = try outcome.query("SELECT id FROM Account WHERE cents < 0")
        #expect(answer.rows.count == 1 && short.sequence == 1)
    }
}
