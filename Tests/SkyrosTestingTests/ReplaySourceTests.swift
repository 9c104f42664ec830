import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

private struct Account: Entity {
    var id: Int
    var cents: Int
}

/// What "today's code" does is set for each task, as the types of a test cannot change.
private enum Today {
    @TaskLocal static var fee = 0
}

private struct Deposit: Command {
    var account: Int
    var cents: Int

    func run(_ tx: inout WriteTransaction) throws {
        let before = try tx.get(Account.self, account)?.cents ?? 0
        try tx.upsert(Account(id: account, cents: before + cents - Today.fee))
    }
}

@Suite struct `A replay of an open or simulated store` {
    private func fill(_ store: Store) throws {
        for (number, cents) in [5, 7, -20, 3, 30].enumerated() {
            try store.perform(
                Deposit(account: number % 2, cents: cents), by: "ada", because: "number \(number)")
        }
    }

    private func isSolvent(_ state: Snapshot) throws -> Bool {
        try state.count(Account.self, where: \.cents < 0) == 0
    }

    @Test func `reads a store in memory, and what it gets meanwhile`() throws {
        let store = try Store(inMemory: Account.self)
        let replay = Replay(of: store)
        #expect(try replay.run().sequence == 0)
        try fill(store)
        let result = try replay.run()
        #expect(result.sequence == 5)
        #expect(try result.digest == store.snapshot.digest().description)
        try store.write(durability: .deferred) { try $0.delete(Account.self, 0) }
        #expect(try replay.run().state.count(Account.self) == 1)
        try store.close()
        #expect(try replay.run().sequence == 6)
    }

    @Test func `reads a store on a disk that is open and written`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Account.self)
        try fill(store)
        #expect(try Replay(of: store).run().sequence == 5)
        store.suspend()
        #expect(try Replay(of: store).run().sequence == 5)
        try store.resume()
        try store.nuke()
        #expect(try Replay(of: store).run().sequence == 0)
    }

    @Test func `reads a simulated disk`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Account.self)
        try fill(store)
        try store.flush()
        #expect(try Replay(of: disk.killed(), entities: Account.self).run().sequence == 5)
    }

    @Test func `names the event that broke what is expected at the end`() throws {
        let store = try Store(inMemory: Account.self)
        try fill(store)
        try Replay(of: store).expecting("no account is overdrawn", isSolvent).run()
        let asked = Count()
        let replay = Replay(of: store).through(4).expecting("no account is overdrawn") { state in
            asked.increment()
            return try isSolvent(state)
        }
        let failure = try #require(throws: ReplayFailure.self) { try replay.run() }
        #expect(failure.event?.sequence == 3)
        #expect(failure.problem == "\"no account is overdrawn\" does not hold")
        #expect(failure.description.contains("by ada, \"number 2\""))
        #expect(asked.value <= 1 + 3)
    }

    @Test func `says that the condition was broken already`() throws {
        let store = try Store(inMemory: Account.self)
        try fill(store)
        let replay = Replay(of: store).starting(after: 3).through(4)
            .expecting("no account is overdrawn", isSolvent)
        let failure = try #require(throws: ReplayFailure.self) { try replay.run() }
        #expect(failure.event == nil)
        #expect(
            failure.problem
                == "\"no account is overdrawn\" does not hold after event 3 already")
    }

    @Test func `names a condition that throws`() throws {
        struct Unclear: Error {}
        let store = try Store(inMemory: Account.self)
        let replay = Replay(of: store).expecting("it is clear") { _ in throw Unclear() }
        let failure = try #require(throws: ReplayFailure.self) { try replay.run() }
        #expect(failure.problem == "checking \"it is clear\" failed: Unclear()")
    }

    @Test func `executes the commands by today's code`() throws {
        let store = try Store(inMemory: Account.self)
        try fill(store)
        let replay = Replay(of: store).executing(Deposit.self)
        try replay.run()
        try Today.$fee.withValue(1) {
            let failure = try #require(throws: ReplayFailure.self) { try replay.run() }
            #expect(failure.violations.map { $0.event?.sequence } == [1])
            #expect(!failure.isComplete)
            #expect(
                failure.problem == """
                    the command Deposit does something else today:
                      Account 0
                        cents: 5 → 4
                    """)
            let all = try #require(throws: ReplayFailure.self) {
                try replay.collectingViolations().starting(after: 1).run()
            }
            #expect(all.violations.map { $0.event?.sequence } == [2, 3, 4, 5])
            #expect(all.isComplete)
        }
    }
}

private final class Count: Sendable {
    private let number = Locked(0)
    var value: Int { number.withLock { $0 } }
    func increment() { number.withLock { $0 += 1 } }
}
