import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Account: Entity, Equatable {
    var id: UUID
    var owner: String
    var cents = 0
    var openedAt = Date(timeIntervalSince1970: 0)
}

private enum Refusal: Error, Equatable { case overdrawn(missing: Int) }

private struct OpenAccount: Command {
    var owner: String
    var idempotencyKey: String?

    func run(_ tx: inout WriteTransaction) throws -> UUID {
        let account = Account(id: tx.newID(), owner: owner, openedAt: tx.now)
        try tx.insert(account)
        return account.id
    }
}

private struct Balance: Codable, Hashable { var cents: Int }

private struct Deposit: Command {
    var account: UUID
    var cents: Int
    var key: String?

    var idempotencyKey: String? { key }

    func run(_ tx: inout WriteTransaction) throws -> Balance {
        try tx.update(Account.self, account) { account in
            guard account.cents + cents >= 0 else {
                throw Refusal.overdrawn(missing: -(account.cents + cents))
            }
            account.cents += cents
            return Balance(cents: account.cents)
        }
    }
}

private struct Close: Command {
    static let commandVersion = 3
    var account: UUID

    func run(_ tx: inout WriteTransaction) throws { try tx.delete(Account.self, account) }
}

private struct Nothing: Command {
    var idempotencyKey: String?
    func run(_ tx: inout WriteTransaction) throws {}
}

@Suite final class `A command` {
    private let clock = ManualClock()
    private let disk = SimulatedDisk()
    private var options = Store.Options()

    private func open() throws -> Store {
        let environment = Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: 7))
        return try Store.simulated([Account.self], options, environment)
    }

    @Test func `is kept with its event: name, version, value, result and ids`() throws {
        let store = try open()
        let id = try store.perform(OpenAccount(owner: "ada"), by: "bank", because: "asked")
        #expect(try store.perform(Deposit(account: id, cents: 500)).cents == 500)
        try store.perform(Close(account: id))
        try store.close()
        let reopened = try open()
        let events = try Array(reopened.events())
        let intents = try #require(events.map(\.intent) as? [Intent])
        #expect(intents.map(\.name) == ["OpenAccount", "Deposit", "Close"])
        #expect(intents.map(\.version) == [1, 1, 3])
        #expect(intents.map(\.ids) == [[id], [], []])
        #expect(try intents.map { try $0.output } == [.uuid(id), ["cents": 500], .null])
        #expect(try intents[0].output(of: OpenAccount.self) == id)
        #expect(try intents[1].output(of: Deposit.self) == Balance(cents: 500))
        try intents[2].output(of: Close.self)
        #expect(try intents[0].decode(as: OpenAccount.self).owner == "ada")
        #expect(events[0].metadata.actor == "bank")
        #expect(events[0].metadata.reason == "asked")
        #expect(events.map(\.changes.count) == [1, 1, 1])
    }

    @Test func `that throws leaves nothing`() throws {
        let store = try open()
        let id = try store.perform(OpenAccount(owner: "ada"))
        #expect(throws: Refusal.overdrawn(missing: 1)) {
            try store.perform(Deposit(account: id, cents: -1))
        }
        #expect(store.sequence == 1)
        // The ids of a command that threw are not those of the next.
        let next = try store.perform(OpenAccount(owner: "bob"))
        #expect(try store.event(2)?.intent?.ids == [next])
    }

    @Test func `leaves an event if it changes nothing`() throws {
        let store = try open()
        try store.perform(Close(account: UUID()))
        #expect(try store.event(1)?.changes == [])
        #expect(try store.event(1)?.intent?.output == .null)
    }

    @Test func `gets the time of its event, also if the clock goes back`() throws {
        let store = try open()
        for step: Int64 in [0, 3, 0, -2_000_000] {
            clock.advance(byMicroseconds: step)
            let id = try store.perform(OpenAccount(owner: "ada"))
            let event = try #require(try store.event(store.sequence))
            #expect(try store.get(Account.self, id)?.openedAt == event.time.date)
        }
        try store.write { tx in
            let now = tx.now
            clock.advance(byMicroseconds: 1_000)
            #expect(tx.now == now)
            try tx.insert(Account(id: tx.newID(), owner: "eve", openedAt: now))
        }
        let event = try #require(try store.event(5))
        #expect(try store.count(Account.self, where: \.openedAt == event.time.date) == 1)
        // A block that does not ask has the time of its commit.
        try store.write { tx in
            clock.advance(byMicroseconds: 3_000_000)
            try tx.insert(Account(id: tx.newID(), owner: "eve"))
        }
        #expect(try store.event(6)?.time.microseconds == clock.nowMicroseconds())
    }

    @Test func `is not run again under its key, and gives what it gave`() throws {
        let store = try open()
        let first = try store.performWithReceipt(OpenAccount(owner: "ada", idempotencyKey: "a"))
        #expect(first.receipt.sequence == 1 && !first.receipt.isRepeated)
        let again = try store.performWithReceipt(OpenAccount(owner: "ada", idempotencyKey: "a"))
        #expect(again.receipt.sequence == 1 && again.receipt.isRepeated)
        #expect(again.output == first.output)
        let error = failure(as: StoreError.self) {
            try store.perform(OpenAccount(owner: "bob", idempotencyKey: "a"))
        }
        #expect(error?.code == .conflict)
        #expect(store.sequence == 1)
        let deposit = Deposit(account: first.output, cents: 5, key: "b")
        #expect(try store.perform(deposit).cents == 5)
        try store.perform(Deposit(account: first.output, cents: 5))
        #expect(try store.perform(deposit, durability: .durable).cents == 5)
        try store.close()
        #expect(try open().perform(deposit).cents == 5)
    }

    @Test func `of a key whose event has no result is an error`() throws {
        let store = try open()
        let command = OpenAccount(owner: "ada", idempotencyKey: "a")
        try store.write(once: "a", intent: command) { _ in }
        let error = failure(as: StoreError.self) { try store.perform(command) }
        #expect(error?.code == .notDecodable)
        #expect(try store.event(1)?.intent?.output == nil)
    }

    @Test func `of a key whose event was pruned is an error`() throws {
        options.segmentBytesMax = 3_000
        options.sealThresholdBytes = 400
        var store = try open()
        let command = OpenAccount(owner: "ada", idempotencyKey: "a")
        let id = try store.perform(command)
        let empty = Nothing(idempotencyKey: "n")
        try store.perform(empty)
        for _ in 0..<100 { try store.perform(Deposit(account: id, cents: 5)) }
        try store.close()
        store = try open()
        #expect(try store.prune(before: .distantFuture) != nil)
        #expect(store.firstSequence > 2)
        let error = failure(as: StoreError.self) { try store.perform(command) }
        #expect(error?.code == .belowFloor)
        // Where there is nothing to return, nothing has to be read.
        #expect(try store.performWithReceipt(empty).receipt.sequence == 2)
        #expect(store.sequence == 102)
    }

    @Test func `is performed on the store's thread where the caller awaits`() async throws {
        let store = try Store(inMemory: Account.self)
        let command = OpenAccount(owner: "ada", idempotencyKey: "a")
        let id = try await store.perform(command, by: "bank")
        let again = try await store.performWithReceipt(command, durability: .durable)
        #expect(again.output == id && again.receipt.isRepeated)
        #expect(try await store.perform(Deposit(account: id, cents: 7)).cents == 7)
        try await store.perform(Close(account: id))
        await #expect(throws: StoreError.self) {
            try await store.perform(Deposit(account: id, cents: 1))
        }
        #expect(store.sequence == 3)
    }

    @Test func `has a version from 1 to 65535`() throws {
        struct Versioned: Command {
            // One task uses it.
            nonisolated(unsafe) static var commandVersion = 0
            func run(_ tx: inout WriteTransaction) throws {}
        }
        let store = try open()
        for version in [0, 65_536] {
            Versioned.commandVersion = version
            let error = failure(as: StoreError.self) { try store.perform(Versioned()) }
            #expect(error?.code == .notEncodable)
        }
        Versioned.commandVersion = 65_535
        try store.perform(Versioned())
        #expect(try store.event(1)?.intent?.version == 65_535)
    }

    @Test func `with a key is refused if its result could not be read again`() throws {
        struct OneWay: Command {
            struct Output: Codable {
                init() {}
                init(from decoder: any Decoder) throws { throw Refusal.overdrawn(missing: 1) }
                func encode(to encoder: any Encoder) throws { try 1.encode(to: encoder) }
            }
            var idempotencyKey: String?
            func run(_ tx: inout WriteTransaction) throws -> Output { Output() }
        }
        let store = try open()
        let error = failure(as: StoreError.self) { try store.perform(OneWay(idempotencyKey: "a")) }
        #expect(error?.code == .notEncodable)
        #expect(store.sequence == 0)
        try store.perform(OneWay())
    }

    @Test func `may say how its result is kept`() throws {
        struct Pair: Command {
            typealias Output = (Int, Int)
            var idempotencyKey: String?
            func run(_ tx: inout WriteTransaction) throws -> (Int, Int) { (3, 4) }
            static let outputCoding = OutputCoding<(Int, Int)> { pair in
                .array([.integer(Int128(pair.0)), .integer(Int128(pair.1))])
            } decode: { value in
                guard case .array(let numbers) = value, numbers.count == 2,
                    let first = numbers[0].integer, let second = numbers[1].integer
                else { throw Refusal.overdrawn(missing: 0) }
                return (Int(first), Int(second))
            }
        }
        let store = try open()
        #expect(try store.perform(Pair(idempotencyKey: "a")) == (3, 4))
        #expect(try store.perform(Pair(idempotencyKey: "a")) == (3, 4))
        #expect(try store.event(1)?.intent?.output == [3, 4])
    }

    @Test func `whose result cannot be encoded leaves nothing`() throws {
        struct Endless: Command {
            struct Output: Codable {
                func encode(to encoder: any Encoder) throws { throw Refusal.overdrawn(missing: 1) }
            }
            func run(_ tx: inout WriteTransaction) throws -> Output {
                try tx.insert(Account(id: tx.newID(), owner: "x"))
                return Output()
            }
        }
        let store = try open()
        let error = failure(as: StoreError.self) { try store.perform(Endless()) }
        #expect(error?.code == .notEncodable)
        #expect(store.sequence == 0)
        #expect(try store.count(Account.self) == 0)
    }
}
