import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Account: Entity, Equatable {
    var id: UUID
    var cents = 0
    var movedAt = Date(timeIntervalSince1970: 0)
    static let indexes: [Index<Account>] = [.on(\.cents)]
}

private struct Log: Entity, Equatable {
    var id: UUID
    var text = ""
}

private struct Refusal: Error {}

/// What "today's code" does is set for each task, as the types of a test cannot change.
private enum Today {
    @TaskLocal static var transfer: @Sendable (Transfer, inout WriteTransaction) throws -> Int = {
        try $0.asBefore(&$1)
    }
}

private struct OpenAccount: Command {
    var cents: Int

    func run(_ tx: inout WriteTransaction) throws -> UUID {
        let account = Account(id: tx.newID(), cents: cents, movedAt: tx.now)
        try tx.insert(account)
        return account.id
    }
}

private struct Transfer: Command {
    var from, to: UUID
    var cents: Int

    func asBefore(_ tx: inout WriteTransaction) throws -> Int {
        let now = tx.now
        let left = try tx.update(Account.self, from) { account in
            account.cents -= cents
            account.movedAt = now
            return account.cents
        }
        try tx.update(Account.self, to) { $0.cents += cents }
        try tx.insert(Log(id: tx.newID(), text: "\(cents)"))
        return left
    }

    func run(_ tx: inout WriteTransaction) throws -> Int { try Today.transfer(self, &tx) }
}

private struct Empty: Command {
    func run(_ tx: inout WriteTransaction) throws { try tx.deleteAll(Log.self) }
}

@Suite struct `Executing commands again` {
    private let disk = SimulatedDisk()
    private let clock = ManualClock()
    private let ids: [UUID]
    private let commands: [any Command.Type] = [OpenAccount.self, Transfer.self, Empty.self]

    /// Events 1 and 2 open accounts, 3 is no command, 4 to 7 are transfers, 8 clears a table.
    init() throws {
        let store = try Store(on: disk, entities: Account.self, Log.self, clock: clock)
        ids = try (1...2).map { try store.perform(OpenAccount(cents: $0 * 100), by: "bank") }
        try store.write(by: "eve", intent: OpenAccount(cents: 9)) { tx in
            try tx.insert(Log(id: tx.newID(), text: "by hand"))
        }
        for cents in 1...4 {
            clock.advance(byMicroseconds: 5)
            try store.perform(
                Transfer(from: ids[0], to: ids[1], cents: cents), by: "ada", because: "rent")
        }
        try store.perform(Empty())
        try store.close()
    }

    private func archive(
        _ entities: [any Entity.Type] = [Account.self, Log.self]
    ) throws -> Archive {
        try Archive(
            on: Environment(disk: disk, entropy: SeededEntropy(seed: 3)), entities: entities)
    }

    private func reexecute(
        _ transfer: @escaping @Sendable (Transfer, inout WriteTransaction) throws -> Int
    ) throws -> Reexecution {
        try Today.$transfer.withValue(transfer) { try archive().reexecute(commands) }
    }

    @Test func `finds that unchanged code does what it did`() throws {
        let found = try reexecute { try $0.asBefore(&$1) }
        #expect(found.commandCount == 7)
        #expect(found.differenceCount == 0 && found.differences.isEmpty)
        #expect(found.unknownCommands.isEmpty && found.nondeterministicCommands.isEmpty)
        #expect(found.description == "All 7 commands do today what they did.")
    }

    @Test func `names the first difference field by field`() throws {
        let found = try reexecute { transfer, tx in
            var changed = transfer
            if transfer.cents == 3 { changed.cents = 2 }
            let left = try changed.asBefore(&tx)
            return transfer.cents == 4 ? left + 1 : left
        }
        #expect(found.commandCount == 7 && found.differenceCount == 2)
        let first = try #require(found.differences.first)
        #expect(first.event.sequence == 6 && first.isDeterministic && first.error == nil)
        #expect(first.records.map(\.entity) == ["Account", "Account", "Log"])
        let fields = try first.records.map { try $0.changes.map(\.description) }
        #expect(fields == [["cents: 94 → 95"], ["cents: 206 → 205"], ["text: \"3\" → \"2\""]])
        #expect(first.output?.description == "result: 94 → 95")
        // The second one is compared with the state of the log, not with that of the first.
        let second = try #require(found.differences.last)
        #expect(second.records.isEmpty && second.output?.description == "result: 90 → 91")
        let text = found.description
        #expect(text.hasPrefix("2 of 7 commands do something else today.\nThe first:\nevent 6 of "))
        #expect(text.contains("by ada, \"rent\": Transfer {"))
        #expect(text.contains("\n    cents: 94 → 95\n"))
    }

    @Test func `names records that only one of both writes`() throws {
        let found = try reexecute { transfer, tx in
            let left = try transfer.asBefore(&tx)
            if transfer.cents == 1 { try tx.delete(Account.self, transfer.to) }
            if transfer.cents == 2 { try tx.insert(Log(id: tx.newID(), text: "more")) }
            return left
        }
        #expect(found.differenceCount == 2)
        #expect(found.differences[0].records.map(\.kind) == [.deleted])
        #expect(found.differences[0].description.contains("is not there today, and was"))
        #expect(found.differences[1].records.map(\.kind) == [.inserted])
        #expect(try found.differences[1].records[0].after(as: Log.self)?.text == "more")
        #expect(found.differences[1].description.contains("is written today, and was not"))
    }

    @Test func `takes another order of the same changes for the same`() throws {
        let found = try reexecute { transfer, tx in
            try tx.update(Account.self, transfer.to) { $0.cents += 1 }
            try tx.update(Account.self, transfer.to) { $0.cents -= 1 }
            return try transfer.asBefore(&tx)
        }
        #expect(found.differenceCount == 0)
    }

    @Test func `names a command that is refused today`() throws {
        let found = try reexecute { transfer, tx in
            if transfer.cents == 2 { throw Refusal() }
            return try transfer.asBefore(&tx)
        }
        #expect(found.differenceCount == 1)
        #expect(found.differences[0].error is Refusal)
        #expect(found.differences[0].event.sequence == 5)
        #expect(found.differences[0].description.contains("throws today: Refusal()"))
    }

    @Test func `names a command that does not fit its type any more`() throws {
        struct Changed: Command {
            static let commandName = "Transfer"
            var amount: Int
            func run(_ tx: inout WriteTransaction) throws -> Int { amount }
        }
        let found = try archive().reexecute([Changed.self])
        #expect(found.commandCount == 4 && found.differenceCount == 4)
        #expect((found.differences[0].error as? StoreError)?.code == .notDecodable)
        #expect(found.unknownCommands == ["OpenAccount": 2, "Empty": 1])
        #expect(found.description.contains("Empty (1), OpenAccount (2)"))
    }

    @Test func `makes a command of an older version by its own code`() throws {
        struct Newer: Command {
            static let commandName = "Transfer"
            static let commandVersion = 2
            var source, target: UUID
            var euros: Double

            func run(_ tx: inout WriteTransaction) throws -> Int {
                let cents = Int((euros * 100).rounded())
                return try Transfer(from: source, to: target, cents: cents).asBefore(&tx)
            }

            static func command(from intent: Intent) throws -> Newer {
                guard intent.version < 2 else { return try intent.decode(as: Newer.self) }
                let old = try intent.decode(as: Transfer.self)
                return Newer(source: old.from, target: old.to, euros: Double(old.cents) / 100)
            }
        }
        let found = try archive().reexecute([Newer.self])
        #expect(found.commandCount == 4 && found.differenceCount == 0)
    }

    @Test func `names a command that uses randomness or another clock`() throws {
        let found = try reexecute { transfer, tx in
            if transfer.cents == 3 { try tx.insert(Log(id: UUID(), text: "chance")) }
            return try transfer.asBefore(&tx)
        }
        #expect(found.differenceCount == 1)
        #expect(!found.differences[0].isDeterministic)
        #expect(found.nondeterministicCommands == ["Transfer": 1])
        #expect(found.description.contains("Not deterministic: Transfer (1)"))
    }

    @Test func `begins, ends and lists as much as its arguments say`() throws {
        try Today.$transfer.withValue({ try $0.asBefore(&$1) + 1 }) {
            let archive = try archive()
            var seen: [SequenceNumber] = []
            let part = try archive.reexecute(
                commands, after: 4, through: 6, differencesMax: 1, progress: { seen.append($0) })
            #expect(part.commandCount == 2 && part.differenceCount == 2)
            #expect(part.differences.map(\.event.sequence) == [5])
            #expect(seen == [5, 6])
            for (first, last): (SequenceNumber?, SequenceNumber?) in [(9, nil), (nil, 9), (5, 4)] {
                #expect(throws: StoreError.self) {
                    try archive.reexecute(commands, after: first, through: last)
                }
            }
            #expect(throws: StoreError(.invalidInput, "")) {
                try archive.reexecute([Transfer.self, Transfer.self])
            }
        }
    }

    @Test func `gives other ids than the recorded ones only where it asks for more`() throws {
        struct More: Command {
            static let commandName = "OpenAccount"
            var cents: Int
            func run(_ tx: inout WriteTransaction) throws -> UUID {
                let first = try OpenAccount(cents: cents).run(&tx)
                try tx.insert(Account(id: tx.newID()))
                return first
            }
        }
        let found = try archive().reexecute([More.self])
        #expect(found.differenceCount == 2 && found.differences.allSatisfy(\.isDeterministic))
        #expect(found.differences.allSatisfy { $0.records.map(\.kind) == [.inserted] })
        #expect(found.differences.allSatisfy { $0.output == nil })
        #expect(Set(found.differences.map { $0.records[0].id }).count == 2)
    }

    /// The type has a property more, without a step.
    @Test func `takes a property that the type adds for no difference`() throws {
        struct Newer: Entity {
            static let entityName = "Account"
            var id: UUID
            var cents = 0
            var movedAt = Date(timeIntervalSince1970: 0)
            var currency = "EUR"
            static let prototype: Newer? = Newer(id: UUID())
        }
        struct NewOpen: Command {
            static let commandName = "OpenAccount"
            var cents: Int
            func run(_ tx: inout WriteTransaction) throws -> UUID {
                let id = tx.newID()
                try tx.insert(Newer(id: id, cents: cents, movedAt: tx.now))
                return id
            }
        }
        let archive = try archive([Newer.self, Log.self])
        let found = try archive.reexecute([NewOpen.self])
        #expect(found.commandCount == 2 && found.differenceCount == 0)
    }

    /// A step of the evolution has changed all records, which is no difference of a command.
    @Test func `compares records in today's shape`() throws {
        struct Newer: Entity {
            static let entityName = "Account"
            var id: UUID
            var amount = 0
            var movedAt = Date(timeIntervalSince1970: 0)
            var currency = "EUR"
            static let evolution: Evolution<Newer> = [
                .version(2) { .rename("cents", to: "amount") },
                .version(3) { .add("currency", "EUR") },
            ]
        }
        struct NewTransfer: Command {
            static let commandName = "Transfer"
            var from, to: UUID
            var cents: Int
            func run(_ tx: inout WriteTransaction) throws -> Int {
                let (now, lost) = (tx.now, cents == 2 ? 1 : 0)
                let left = try tx.update(Newer.self, from) { account in
                    account.amount -= cents
                    account.movedAt = now
                    return account.amount
                }
                try tx.update(Newer.self, to) { $0.amount += cents - lost }
                try tx.insert(Log(id: tx.newID(), text: "\(cents)"))
                return left
            }
        }
        let archive = try archive([Newer.self, Log.self])
        let found = try archive.reexecute([NewTransfer.self])
        #expect(found.commandCount == 4)
        #expect(found.differences.map(\.event.sequence) == [5])
        let records = try #require(found.differences.first?.records)
        #expect(try records.map { try $0.changes.map(\.description) } == [["amount: 203 → 202"]])
        #expect(try records[0].after(as: Newer.self)?.currency == "EUR")
    }
}
