import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

@testable import Ledger

@Suite struct `A bank's ledger` {
    private let ledger: Ledger

    init() throws {
        let store = try Store(inMemory: Account.self, Posting.self)
        ledger = Ledger(store: store, clerk: "hedy")
    }

    private func balances() throws -> [Int] { try ledger.accounts().map(\.cents) }

    /// Two accounts, of which the first has money.
    private func openTwo() throws {
        try ledger.open("A1", owner: "Ada")
        try ledger.open("A2", owner: "Charles")
        #expect(try ledger.deposit(1_000, to: "A1") == 1_000)
    }

    // MARK: Commands

    @Test func `transfers money, and takes a fee`() throws {
        try Scenario(Account.self, Posting.self)
            .given(
                OpenAccount(number: "A1", owner: "Ada"), OpenAccount(number: "A2", owner: "Bob"),
                Deposit(account: Ref("A1"), cents: 1_000)
            )
            .when(Transfer(from: Ref("A1"), to: Ref("A2"), cents: 400))
            .then(returns: 575)
            .then("the money has arrived") { try $0.get(Account.self, "A2")?.cents == 400 }
            .then("the postings explain the balances", Ledger.isBalanced)
            .when(Transfer(from: Ref("A1"), to: Ref("A2"), cents: 575))
            .thenIsRefused(with: Refusal.overdrawn)
            .when(Transfer(from: Ref("A1"), to: Ref("A2"), cents: 550))
            .then(returns: 0)
    }

    @Test func `refuses transfers that make no sense`() throws {
        try openTwo()
        for (from, to, cents) in [("A1", "A2", 0), ("A1", "A2", -5), ("A1", "A1", 5)] {
            #expect(throws: Refusal.self) {
                try ledger.transfer(cents, from: from, to: to, because: "rent")
            }
        }
        #expect(
            code { _ = try ledger.transfer(5, from: "A1", to: "A3", because: "rent") }
                == .notFound)
        #expect(throws: Refusal.notPositive) { try ledger.deposit(0, to: "A1") }
        #expect(code { try ledger.open("A1", owner: "Eve") } == .duplicateID)
        #expect(try balances() == [1_000, 0])
    }

    @Test func `explains a balance by its postings`() throws {
        try openTwo()
        _ = try ledger.transfer(300, from: "A1", to: "A2", because: "rent")
        let postings = try ledger.statement(of: "A1")
        #expect(postings.map(\.cents) == [1_000, -300, -25])
        #expect(postings.map(\.text) == ["deposit", "to A2", "fee"])
        #expect(try Ledger.isBalanced(ledger.store.snapshot))
    }

    @Test func `balances after a crash`() throws {
        try CrashSimulation(of: Account.self, Posting.self) { store, choose in
            let ledger = Ledger(store: store, clerk: "hedy")
            if try store.count(Account.self) < 2 {
                try ledger.open("A\(try store.count(Account.self))", owner: "Ada")
            } else if choose(2) == 0 {
                _ = try ledger.deposit(1 + choose(100), to: "A\(choose(2))")
            } else {
                _ = try? ledger.transfer(1 + choose(100), from: "A0", to: "A1", because: "rent")
            }
        }
        .checking("the postings explain the balances", Ledger.isBalanced)
        .checking("no account is overdrawn", Ledger.isSolvent)
        .run(seeds: 1...10)
    }

    // MARK: The month of release 1

    @Test func `of release 1 has overdrawn an account`() throws {
        try Release1.writeMonth(to: ledger.store)
        let state = ledger.store.snapshot
        #expect(try !Ledger.isSolvent(state) && Ledger.isBalanced(state))
        let sequence = try #require(try ledger.firstOverdraft())
        let event = try #require(try ledger.store.event(sequence))
        #expect(event.intent?.name == "Transfer" && event.metadata.reason == "day 30")
        let before = Moment.sequence(sequence.advanced(by: -1))
        #expect(try Ledger.isSolvent(ledger.store.snapshot(asOf: before)))
    }

    @Test func `shows what today's commands decide otherwise`() throws {
        try Release1.writeMonth(to: ledger.store)
        let audit = try ledger.audit()
        #expect(audit.differences.map(\.event.metadata.reason) == ["day 11", "day 30"])
        #expect(audit.differences.allSatisfy { $0.error as? Refusal == .overdrawn })
        #expect(audit.commandCount > 100 && audit.unknownCommands.isEmpty)
        #expect(audit.nondeterministicCommands.isEmpty)
    }

    @Test func `is not needed to see the bug, of which two records are enough`() throws {
        let fixture = Repository.root.appending(path: "Tests/ExampleTests/Overdraft/history.skyros")
        let archive = try Archive(at: fixture, entities: [Account.self, Posting.self])
        #expect(archive.sequence == 2)
        func run(_ commands: any Command.Type...) throws -> WhatIfOutcome {
            try WhatIf(in: archive, commands: commands).starting(after: 1).run()
        }
        #expect(try !Ledger.isSolvent(run(Release1.Transfer.self).state))
        let mended = try run(Transfer.self)
        #expect(try Ledger.isSolvent(mended.state))
        #expect(mended.problems.first?.error as? Refusal == .overdrawn)
        for owner in Release1.owners {
            let log = fixture.appending(path: "events/00000000000000000001.open")
            #expect(try Data(contentsOf: log).range(of: Data(owner.utf8)) == nil)
        }
    }

    @Test func `shows the accounts without the event that broke it`() throws {
        try Release1.writeMonth(to: ledger.store)
        let sequence = try #require(try ledger.firstOverdraft())
        let outcome = try ledger.accounts(without: sequence)
        let differences = outcome.differences(in: "Account")
        #expect(differences.count == 2)
        #expect(try !Ledger.isSolvent(outcome.actual) && Ledger.isSolvent(outcome.state))
    }

    @Test func `takes back what broke it`() throws {
        try Release1.writeMonth(to: ledger.store)
        let before = ledger.store.snapshot
        let events = try ledger.audit().differences.map(\.event.sequence)
        #expect(try ledger.takeBack(events[0], because: "overdraft") == .reversed)
        #expect(try ledger.takeBack(events[1], because: "overdraft") == .undone)
        let state = ledger.store.snapshot
        #expect(try Ledger.isSolvent(state) && Ledger.isBalanced(state))
        let total = { try ($0 as Snapshot).sum(Account.self, of: \.cents) }
        #expect(try total(state) == total(before) + 2 * Transfer.feeCents)
        let last = try #require(try ledger.store.event(ledger.store.sequence))
        #expect(last.metadata.actor == "hedy" && last.metadata.reason == "overdraft")
    }

    @Test func `leads to the same result as before`() throws {
        let directory = try TemporaryDirectory()
        func check() throws {
            try GoldenLog(
                at: directory.url.appending(path: "Month"), entities: Account.self, Posting.self
            )
            .recording { try Release1.writeMonth(to: $0) }
            .executing(OpenAccount.self, Deposit.self, Transfer.self)
            .showing("all together") { try $0.sum(Account.self, of: \.cents) }
            .check()
        }
        // The first run writes what is expected, for a review.
        #expect(throws: GoldenLogFailure.self) { try check() }
        try check()
        let text = try String(
            contentsOf: directory.url.appending(path: "Month/expected.txt"), encoding: .utf8)
        #expect(text.contains("\nCommands that decide otherwise today: 2\n"))
        #expect(text.contains("\nall together\n  29"))
    }

    @Test func `is held to its decisions by a replay`() throws {
        try openTwo()
        _ = try ledger.transfer(300, from: "A1", to: "A2", because: "rent")
        let result = try Replay(of: ledger.store)
            .executing(OpenAccount.self, Deposit.self, Transfer.self)
            .expecting("no account is overdrawn", Ledger.isSolvent)
            .run()
        #expect(result.sequence == 4)

        let month = try Store(inMemory: Account.self, Posting.self)
        try Release1.writeMonth(to: month)
        let failure = failure(as: ReplayFailure.self) {
            try Replay(of: month).executing(Transfer.self).run()
        }
        #expect(failure?.description.contains("throws today: overdrawn") == true)
    }
}
