import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Account: Entity, Equatable {
    var id: Int
    var owner: String
    var balance: Int
    static let indexes: [Index<Account>] = [.on(\.owner)]
}

private struct Bank: Entity {
    var id: Int
}

private struct Owner: Entity {
    var id: Int
    var name: String
    static let indexes: [Index<Owner>] = [.unique(\.name)]
}

/// What a replay shows of each event, and what it lists after a violation.
@Suite struct `The events of a replay` {
    private let directory: TemporaryDirectory
    /// The checkpoint after event 3.
    private let early: URL

    /// 1 inserts, 2 and 3 update, 4 deletes and inserts, 5 deletes all and
    /// inserts, 6 inserts.
    init() throws {
        directory = try TemporaryDirectory()
        var store = try Store(at: directory.store, entities: Account.self, Bank.self)
        try store.write { tx in
            for id in 1...3 { try tx.insert(Account(id: id, owner: "ann", balance: 10)) }
        }
        let metadata = Metadata(correlation: "request 7", tags: ["till": "4"])
        try store.write(by: "bob", because: "a mistake", metadata: metadata) { tx in
            try tx.update(Account.self, 1) { $0.balance = -5 }
            try tx.insert(Bank(id: 1))
        }
        try store.write { tx in
            try tx.update(Account.self, 1) { ($0.balance, $0.owner) = (5, "eve") }
            try tx.update(Account.self, 2) { $0.balance = -1 }
        }
        try store.close()
        let checkpoint = directory.store.appending(path: "checkpoint.sqlite")
        early = directory.url.appending(path: "early.sqlite")
        try FileManager.default.copyItem(at: checkpoint, to: early)
        store = try Store(at: directory.store, entities: Account.self, Bank.self)
        try store.write { tx in
            try tx.delete(Account.self, 2)
            try tx.insert(Account(id: 4, owner: "eve", balance: -2))
        }
        try store.write { tx in
            try tx.deleteAll(Account.self)
            try tx.insert(Account(id: 6, owner: "eve", balance: 1))
        }
        try store.write { try $0.insert(Account(id: 5, owner: "ann", balance: 0)) }
        try store.close()
    }

    private var replay: Replay {
        Replay(of: directory.store, entities: Account.self, Bank.self)
            .checking("no account is overdrawn") { _, event in
                try event.changes(of: Account.self).allSatisfy { change in
                    try change.after.map { $0.balance >= 0 } ?? true
                }
            }
    }

    private func seen(_ replay: Replay) throws -> [SequenceNumber] {
        let seen = Locked<[SequenceNumber]>([])
        try replay.checking("always") { state, event in
            seen.withLock { $0.append(event.sequence) }
            return state.sequence == event.sequence
        }.run()
        return seen.withLock { $0 }
    }

    @Test func `have the records of a type before and after them`() throws {
        let archive = try Archive(at: directory.store, entities: [Account.self])
        var lines: [String] = []
        try archive.replay { event, _ in
            let texts = try event.changes(of: Account.self).map { change in
                let sides = try [change.before, change.after].map { account in
                    account.map { "\($0.id) \($0.owner) \($0.balance)" } ?? "-"
                }
                return sides.joined(separator: " > ")
            }
            lines.append(texts.joined(separator: ", "))
            return true
        }
        #expect(
            lines == [
                "- > 1 ann 10, - > 2 ann 10, - > 3 ann 10", "1 ann 10 > 1 ann -5",
                "1 ann -5 > 1 eve 5, 2 ann 10 > 2 ann -1", "2 ann -1 > -, - > 4 eve -2",
                "1 eve 5 > -, 3 ann 10 > -, 4 eve -2 > -, - > 6 eve 1", "- > 5 ann 0",
            ])
        #expect(throws: StoreError(.unknownEntity, "")) {
            try archive.replay(through: 1) { event, _ in
                try event.changes(of: Bank.self).isEmpty
            }
        }
    }

    @Test func `have the state before them, with its indexes`() throws {
        let archive = try Archive(at: directory.store, entities: [Account.self, Bank.self])
        try archive.replay { event, state in
            let before = try event.stateBefore
            let expected = try archive.snapshot(
                asOf: .sequence(SequenceNumber(rawValue: event.sequence.rawValue - 1)))
            #expect(before.sequence == expected.sequence)
            #expect(before.time == expected.time)
            #expect(before.entities == expected.entities)
            #expect(try before.digest() == expected.digest())
            for owner in ["ann", "eve"] {
                #expect(
                    try before.all(Account.self, where: \.owner == owner)
                        == expected.all(Account.self, where: \.owner == owner))
            }
            #expect(state.sequence == event.sequence)
            return true
        }
    }

    @Test func `have the shapes before them that were recorded until then`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Bank.self, Owner.self)
        try store.write { try $0.insert(Bank(id: 1)) }
        try store.write { try $0.insert(Owner(id: 1, name: "ann")) }
        try store.write { try $0.insert(Owner(id: 2, name: "bob")) }
        try store.close()
        let archive = try Archive(
            on: Environment(disk: disk), entities: [Bank.self, Owner.self])
        try archive.replay { event, state in
            let before = try event.stateBefore
            #expect(before.recordedSchemas.isEmpty == (event.sequence <= 2))
            #expect(state.recordedSchemas.isEmpty == (event.sequence < 2))
            return true
        }
    }

    @Test func `can begin after an event, from the checkpoint or from the log`() throws {
        let all = Replay(of: directory.store, entities: Account.self, Bank.self)
        #expect(try seen(all) == [1, 2, 3, 4, 5, 6])
        let digest = try all.run().digest
        let before = try all.through(4).run().digest
        let checkpoint = directory.store.appending(path: "checkpoint.sqlite")
        for changes in 0..<3 {
            if changes > 0 { try FileManager.default.removeItem(at: checkpoint) }
            if changes == 1 { try FileManager.default.copyItem(at: early, to: checkpoint) }
            for first in SequenceNumber.zero...6 {
                let later = all.starting(after: first)
                #expect(try seen(later) == Array(first.next..<7))
                #expect(try later.run().digest == digest)
                if first <= 4 { #expect(try later.through(4).run().digest == before) }
            }
        }
        #expect(throws: StoreError(.noSuchEvent, "")) { try all.starting(after: 7).run() }
        #expect(throws: StoreError(.invalidInput, "")) {
            try all.starting(after: 3).through(2).run()
        }
    }

    @Test func `begin with the state of a checkpoint that is not later`() throws {
        let disk = SimulatedDisk()
        var options = Store.Options()
        options.segmentBytesMax = 500
        let store = try Store(on: disk, entities: Bank.self, options: options)
        for id in 1...20 { try store.write { try $0.insert(Bank(id: id)) } }
        try store.close()
        let name = try #require(disk.contents.keys.filter { $0.hasSuffix(".zst") }.min())
        var bytes = try #require(disk.contents[name])
        // In the first frame of the events, which only a fold from the beginning reads.
        bytes[150] ^= 1
        disk.overwrite(name, with: bytes)
        let archive = try Archive(on: Environment(disk: disk), entities: [Bank.self])
        #expect(try archive.state(after: 20, from: archive.empty).count(Bank.self) == 20)
        #expect(throws: StoreError(.logCorrupt, "")) {
            try archive.state(after: 19, from: archive.empty)
        }
    }

    @Test func `are all listed if the replay collects violations`() throws {
        let failure = #expect(throws: ReplayFailure.self) {
            try replay.collectingViolations().run()
        }
        #expect(failure?.violations.map { $0.event?.sequence } == [2, 3, 4])
        #expect(failure?.isComplete == true)
        #expect(failure?.description.hasPrefix("3 violations:\n\n") == true)

        let first = #expect(throws: ReplayFailure.self) {
            try replay.collectingViolations(upTo: 2).run()
        }
        #expect(first?.violations.map { $0.event?.sequence } == [2, 3])
        #expect(first?.isComplete == false)
        #expect(first?.description.contains("ended with the last of them") == true)

        let digest = String(repeating: "0", count: 32)
        let last = #expect(throws: ReplayFailure.self) {
            try replay.expecting(digest: digest).collectingViolations().run()
        }
        #expect(last?.violations.map { $0.event?.sequence } == [2, 3, 4, nil])
    }

    @Test func `print their metadata, and records before and after`() throws {
        let failure = #expect(throws: ReplayFailure.self) { try replay.run() }
        let lines = try #require(failure?.description).split(separator: "\n").map(String.init)
        #expect(lines.count == 6)
        #expect(lines[0] == "\"no account is overdrawn\" does not hold")
        #expect(lines[1].hasPrefix("after event 2 of "))
        #expect(lines[1].hasSuffix(" by bob, \"a mistake\", correlation request 7, till=4:"))
        #expect(lines[2] == "  updated Account 1 {\"balance\":10} → {\"balance\":-5}")
        #expect(lines[3] == "    before: {\"balance\":10,\"id\":1,\"owner\":\"ann\"}")
        #expect(lines[4] == "    after:  {\"balance\":-5,\"id\":1,\"owner\":\"ann\"}")
        #expect(lines[5] == "  inserted Bank 1 {\"id\":1}")
        #expect(try failure?.event?.stateBefore.get(Account.self, 1)?.balance == 10)
        #expect(try failure?.event?.stateAfter.get(Account.self, 1)?.balance == -5)
    }
}
