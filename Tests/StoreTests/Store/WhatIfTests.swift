import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private typealias Account = Bank.Account
private typealias OpenAccount = Bank.OpenAccount
private typealias Transfer = Bank.Transfer
private typealias Close = Bank.Close

@Suite(.long) struct `Another course of history` {
    private let bank = Bank()

    @Test func `without edits is that of the log`() throws {
        let outcome = try WhatIf(in: bank.log(bank.transfers), commands: Bank.commands).run()
        #expect(outcome.differences().isEmpty && outcome.problemCount == 0)
        #expect(outcome.executedCount == 0 && outcome.appliedCount == 0)
        #expect(try bank.cents(outcome.state) == [17, 3])
        #expect(outcome.description == "Records that differ after event 5: 0")
    }

    @Test func `executes the commands after a skipped event on the other state`() throws {
        let archive = try bank.log(bank.transfers)
        let outcome = try WhatIf(in: archive, commands: Bank.commands).skipping(3).run()
        // Account 2 cannot pay 12.
        #expect(try bank.cents(outcome.state) == [9, 11])
        #expect(try bank.cents(outcome.actual) == [17, 3])
        #expect(outcome.executedCount == 2 && outcome.problemCount == 1)
        let problem = try #require(outcome.problems.first)
        #expect(problem.sequence == 4 && problem.event?.metadata.actor == "bob")
        #expect(problem.error is Bank.Refusal && problem.misfits.isEmpty)
        #expect(
            outcome.description == """
                Records that differ after event 5: 2
                  updated Account 1
                    cents: 17 → 9
                  updated Account 2
                    cents: 3 → 11
                Events that could not be followed as they are: 1
                  event 4: Refusal()
                """)
        #expect(outcome.state.sequence == 5)
        #expect(outcome.state.chainHash != outcome.actual.chainHash)
        #expect(outcome.actual.chainHash == (try archive.snapshot().chainHash))
        let longer = try WhatIf(in: archive).inserting(OpenAccount(id: 3), after: 5).run()
        #expect(longer.state.chainHash != longer.actual.chainHash)
    }

    @Test func `edits a command, and inserts others`() throws {
        let outcome = try WhatIf(in: bank.log(bank.transfers), commands: Bank.commands)
            .editing(4, as: Transfer.self) { $0.cents = 2 }
            .inserting(OpenAccount(id: 3), after: 4)
            .inserting(Transfer(from: 1, to: 3, cents: 1), after: 4)
            .inserting(after: 0) { try $0.insert(Account(id: 9, cents: 90)) }
            .run()
        #expect(try bank.cents(outcome.state) == [6, 13, 11, 90])
        #expect(outcome.problemCount == 0)
        #expect(outcome.executedCount == 8 && outcome.appliedCount == 0)
        #expect(outcome.differences().map(\.kind) == [.updated, .updated, .inserted, .inserted])
    }

    @Test func `gives inserted commands time and ids, each its own`() throws {
        struct Note: Entity, Equatable {
            var id: UUID
            var at: Date
        }
        struct Add: Command {
            func run(_ tx: inout WriteTransaction) throws {
                try tx.insert(Note(id: tx.newID(), at: tx.now))
            }
        }
        let store = try Store(on: bank.disk, entities: Note.self)
        for _ in 1...2 { try store.perform(Add()) }
        try store.close()
        let archive = try bank.archive([Note.self])
        let course = WhatIf(in: archive, commands: [Add.self])
            .inserting(Add(), after: 1).inserting(Add(), after: 1).inserting(Add(), after: 2)
        let state = try course.run().state
        let notes = try state.all(Note.self)
        #expect(notes.count == 5)
        #expect(try course.run().state.all(Note.self) == notes)
        let times = try Array(archive.events()).map(\.time.microseconds)
        let all = [times[0], times[0], times[0] + 1, times[1], times[1]]
        #expect(notes.map { EventTime($0.at).microseconds }.sorted() == all)
        for note in try archive.snapshot().all(Note.self) { #expect(notes.contains(note)) }
    }

    @Test func `inserts commands after an event at the end of time`() throws {
        let clock = ManualClock(microseconds: .max)
        let store = try Store(on: bank.disk, entities: Account.self, clock: clock)
        try store.write { try $0.insert(Account(id: 1, cents: 5)) }
        #expect(store.snapshot.time.microseconds == .max)
        try store.close()
        let outcome = try WhatIf(in: bank.archive([Account.self]))
            .inserting(OpenAccount(id: 2), after: 1).inserting(OpenAccount(id: 3), after: 1).run()
        #expect(try outcome.problemCount == 0 && outcome.state.all(Account.self).count == 3)
    }

    @Test func `is refused if it names events or commands that are not there`() throws {
        let archive = try bank.log { store in
            try bank.transfers(store)
            try store.write { try $0.delete(Account.self, 1) }
        }
        func code(_ course: WhatIf, through last: SequenceNumber? = nil) -> StoreError.Code? {
            failure(as: StoreError.self) { _ = try course.run(through: last) }?.code
        }
        let course = WhatIf(in: archive, commands: Bank.commands)
        #expect(code(course.skipping(7)) == .noSuchEvent)
        #expect(code(course.skipping(0)) == .noSuchEvent)
        #expect(code(course.skipping(5), through: 4) == .noSuchEvent)
        #expect(code(course.inserting(OpenAccount(id: 3), after: 7)) == .noSuchEvent)
        #expect(code(course.editing(6, as: Transfer.self) { $0.cents = 1 }) == .invalidInput)
        #expect(code(course.editing(1, as: Transfer.self) { $0.cents = 1 }) == .invalidInput)
        #expect(
            code(course.skipping(3).editing(3, as: Transfer.self) { $0.cents = 1 })
                == .invalidInput)
        #expect(code(course.skipping(6), through: 4) == .noSuchEvent)
        #expect(code(course.starting(after: 7)) == .noSuchEvent)
        #expect(code(WhatIf(in: archive, commands: [Close.self, Close.self])) == .invalidInput)
        #expect(code(course.skipping(1), through: 6) == nil)
    }

    @Test func `without edits shows what today's code makes of the history`() throws {
        struct FreeTransfer: Command {
            static let commandName = "Transfer"
            var from, to: Int
            var cents: Int
            func run(_ tx: inout WriteTransaction) throws -> Int {
                try Transfer(from: from, to: to, cents: cents - 1).run(&tx)
            }
        }
        let archive = try bank.log(bank.transfers)
        let outcome = try WhatIf(in: archive, commands: [FreeTransfer.self])
            .starting(after: 2).run()
        #expect(outcome.executedCount == 3)
        #expect(try bank.cents(outcome.state) == [18, 2])
    }

    @Test func `makes several edits of one event, one after the other`() throws {
        let outcome = try WhatIf(in: bank.log(bank.transfers), commands: Bank.commands)
            .editing(3, as: Transfer.self) { $0.cents = 5 }
            .editing(3, as: Transfer.self) { $0.cents += 1 }
            .run()
        #expect(try bank.cents(outcome.state) == [15, 5])
    }

    @Test func `lists what a command throws, whatever it is`() throws {
        struct Check: Command {
            func run(_ tx: inout WriteTransaction) throws {
                guard try tx.get(Account.self, 1) != nil else {
                    throw StoreError(.invalidInput, "x")
                }
            }
        }
        let archive = try bank.log { store in
            try bank.transfers(store)
            try store.perform(Check())
        }
        let outcome = try WhatIf(in: archive, commands: [Check.self]).skipping(1).run()
        #expect((outcome.problems.last?.error as? StoreError)?.code == .invalidInput)
    }

    /// Skipping a command is the same as never having performed it.
    @Test(arguments: 0..<UInt64(Extent.pick(brief: 5, quick: 30, deep: 1_000)))
    func `that skips commands is that of a store without them`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let archive = try bank.log { store in
            for _ in 0..<60 {
                let (a, b) = (random.below(6), random.below(6))
                // Some throw, and leave no event.
                switch random.below(8) {
                case 0...1: _ = try? store.perform(OpenAccount(id: a))
                case 2: _ = try? store.perform(Close(id: a))
                default:
                    _ = try? store.perform(Transfer(from: a, to: b, cents: random.below(8)))
                }
            }
        }
        let skipped = (0..<3).map { _ in
            SequenceNumber(rawValue: UInt64(random.below(Int(archive.sequence.rawValue)) + 1))
        }
        let outcome = try WhatIf(in: archive, commands: Bank.commands).skipping(skipped).run()
        let other = try Store(inMemory: Account.self)
        for event in try Array(archive.events()) where !skipped.contains(event.sequence) {
            let intent = try #require(event.intent)
            switch intent.name {
            case "Transfer": _ = try? other.perform(intent.decode(as: Transfer.self))
            case "Close": _ = try? other.perform(intent.decode(as: Close.self))
            default: _ = try? other.perform(intent.decode(as: OpenAccount.self))
            }
        }
        #expect(try outcome.state.digest() == other.snapshot.digest())
        #expect(try outcome.actual.digest() == archive.snapshot().digest())
    }
}
