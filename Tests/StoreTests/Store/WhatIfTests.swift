import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Account: Entity, Equatable {
    var id: Int
    var cents = 0
    var owner = "-"
    static let indexes: [Index<Account>] = [.unique(\.owner)]
}

private struct Refusal: Error, Equatable {}

private struct OpenAccount: Command {
    var id: Int

    func run(_ tx: inout WriteTransaction) throws {
        try tx.insert(Account(id: id, cents: 10, owner: "owner \(id)"))
    }
}

private struct Transfer: Command, Equatable {
    var from, to: Int
    var cents: Int

    func run(_ tx: inout WriteTransaction) throws -> Int {
        try tx.update(Account.self, to) { $0.cents += cents }
        return try tx.update(Account.self, from) { account in
            guard account.cents >= cents else { throw Refusal() }
            account.cents -= cents
            return account.cents
        }
    }
}

private struct Close: Command {
    var id: Int
    func run(_ tx: inout WriteTransaction) throws { try tx.delete(Account.self, id) }
}

@Suite struct `Another course of history` {
    private let disk = SimulatedDisk()
    private let commands: [any Command.Type] = [OpenAccount.self, Transfer.self, Close.self]

    private func log(_ write: (Store) throws -> Void) throws -> Archive {
        let store = try Store(on: disk, entities: Account.self)
        try write(store)
        try store.close()
        return try archive([Account.self])
    }

    private func archive(_ entities: [any Entity.Type]) throws -> Archive {
        try Archive(
            on: Environment(disk: disk, entropy: SeededEntropy(seed: 3)), entities: entities)
    }

    /// Two accounts with 10, then 1 → 2: 4, 2 → 1: 12, 1 → 2: 1; so 17 and 3.
    private func transfers(_ store: Store) throws {
        for id in 1...2 { try store.perform(OpenAccount(id: id)) }
        try store.perform(Transfer(from: 1, to: 2, cents: 4), by: "ada")
        try store.perform(Transfer(from: 2, to: 1, cents: 12), by: "bob")
        try store.perform(Transfer(from: 1, to: 2, cents: 1), by: "ada")
    }

    private func cents(_ state: Snapshot) throws -> [Int] {
        try state.all(Account.self, sortedBy: \.id).map(\.cents)
    }

    @Test func `without edits is that of the log`() throws {
        let outcome = try WhatIf(in: log(transfers), commands: commands).run()
        #expect(outcome.differences().isEmpty && outcome.problemCount == 0)
        #expect(outcome.executedCount == 0 && outcome.appliedCount == 0)
        #expect(try cents(outcome.state) == [17, 3])
        #expect(outcome.description == "0 records differ after event 5.")
    }

    @Test func `executes the commands after a skipped event on the other state`() throws {
        let archive = try log(transfers)
        let outcome = try WhatIf(in: archive, commands: commands).skipping(3).run()
        // Account 2 cannot pay 12.
        #expect(try cents(outcome.state) == [9, 11])
        #expect(try cents(outcome.actual) == [17, 3])
        #expect(outcome.executedCount == 2 && outcome.problemCount == 1)
        let problem = try #require(outcome.problems.first)
        #expect(problem.sequence == 4 && problem.event?.metadata.actor == "bob")
        #expect(problem.error is Refusal && problem.misfits.isEmpty)
        #expect(
            outcome.description == """
                2 records differ after event 5.
                  updated Account 1
                    cents: 17 → 9
                  updated Account 2
                    cents: 3 → 11
                1 events could not be followed as they are:
                  event 4: Refusal()
                """)
        #expect(outcome.state.sequence == 5)
        #expect(outcome.state.chainHash != outcome.actual.chainHash)
        #expect(outcome.actual.chainHash == (try archive.snapshot().chainHash))
    }

    @Test func `edits a command, and inserts others`() throws {
        let outcome = try WhatIf(in: log(transfers), commands: commands)
            .editing(4, as: Transfer.self) { $0.cents = 2 }
            .inserting(OpenAccount(id: 3), after: 4)
            .inserting(Transfer(from: 1, to: 3, cents: 1), after: 4)
            .inserting(after: 0) { try $0.insert(Account(id: 9, cents: 90)) }
            .run()
        #expect(try cents(outcome.state) == [6, 13, 11, 90])
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
        let store = try Store(on: disk, entities: Note.self)
        for _ in 1...2 { try store.perform(Add()) }
        try store.close()
        let archive = try archive([Note.self])
        let course = WhatIf(in: archive, commands: [Add.self])
            .inserting(Add(), after: 1).inserting(Add(), after: 1).inserting(Add(), after: 2)
        let state = try course.run().state
        let notes = try state.all(Note.self)
        #expect(notes.count == 5)
        #expect(try course.run().state.all(Note.self) == notes)
        let times = try Array(archive.events()).map(\.time.date)
        #expect(Set(notes.map(\.at)) == Set(times))
        for note in try archive.snapshot().all(Note.self) { #expect(notes.contains(note)) }
    }

    @Test func `applies what is no command of a given type, and says what does not fit`() throws {
        let archive = try log { store in
            try transfers(store)
            try store.write(by: "eve") { tx in
                try tx.update(Account.self, 1) { $0.owner = "eve" }
                try tx.delete(Account.self, 2)
                try tx.insert(Account(id: 3, owner: "x"))
            }
        }
        let outcome = try WhatIf(in: archive).skipping(4).run()
        // Event 5 has set account 1 from 18 to 17 and account 2 from 2 to 3.
        #expect(try cents(outcome.state) == [17, 0])
        #expect(outcome.appliedCount == 2 && outcome.executedCount == 0)
        #expect(outcome.problemCount == 1)
        let fields = [
            FieldChange(field: "cents", before: 18, after: 6),
            FieldChange(field: "cents", before: 2, after: 14),
        ]
        let misfits = try #require(outcome.problems.first?.misfits)
        #expect(misfits.count == 2)
        for misfit in misfits {
            guard case .differs("Account", let id, let found) = misfit else {
                Issue.record("\(misfit)")
                continue
            }
            #expect(found == [fields[id == RecordID(1) ? 0 : 1]])
        }
        #expect(outcome.problems[0].description.contains("cents is 6, and was 18"))
        #expect(outcome.differences().isEmpty)
        let without = try WhatIf(in: archive).skipping(2).inserting(after: 5) { tx in
            try tx.insert(Account(id: 3, owner: "y"))
        }.run()
        #expect(
            without.problems.map(\.misfits) == [
                [.missing(entity: "Account", id: RecordID(2))],
                [.missing(entity: "Account", id: RecordID(2))],
                [.missing(entity: "Account", id: RecordID(2))],
                [
                    .missing(entity: "Account", id: RecordID(2)),
                    .exists(entity: "Account", id: RecordID(3)),
                ],
            ])
        #expect(try without.state.get(Account.self, 3)?.owner == "x")
    }

    @Test func `leaves out an event that breaks a rule there, and counts what it does not list`()
        throws
    {
        let archive = try log { store in
            for id in 1...4 {
                try store.write { try $0.insert(Account(id: id, owner: "\(id)")) }
            }
        }
        let outcome = try WhatIf(in: archive).listing(problems: 1)
            .inserting(after: 0) { tx in
                try tx.insert(Account(id: 10, owner: "2"))
                try tx.insert(Account(id: 11, owner: "3"))
            }
            .run()
        #expect(outcome.problemCount == 2 && outcome.problems.count == 1)
        #expect((outcome.problems[0].error as? StoreError)?.code == .uniqueViolation)
        #expect(try outcome.state.all(Account.self, sortedBy: \.id).map(\.id) == [1, 4, 10, 11])
        // Also where the rule is that of the log.
        let untyped = try WhatIf(in: self.archive([])).inserting(after: 0) { tx in
            try tx.upsert(
                Record(
                    entity: "Account", id: RecordID(10),
                    fields: ["id": 10, "cents": 0, "owner": "2"]))
        }.run()
        #expect(untyped.problems.map(\.sequence) == [2])
    }

    @Test func `is refused if it names events or commands that are not there`() throws {
        let archive = try log { store in
            try transfers(store)
            try store.write { try $0.delete(Account.self, 1) }
        }
        func code(_ course: WhatIf, through last: SequenceNumber? = nil) -> StoreError.Code? {
            failure(as: StoreError.self) { _ = try course.run(through: last) }?.code
        }
        let course = WhatIf(in: archive, commands: commands)
        #expect(code(course.skipping(7)) == .noSuchEvent)
        #expect(code(course.skipping(0)) == .noSuchEvent)
        #expect(code(course.skipping(5), through: 4) == .noSuchEvent)
        #expect(code(course.inserting(OpenAccount(id: 3), after: 7)) == .noSuchEvent)
        #expect(code(course.editing(6, as: Transfer.self) { $0.cents = 1 }) == .invalidInput)
        #expect(code(course.editing(1, as: Transfer.self) { $0.cents = 1 }) == .invalidInput)
        #expect(code(WhatIf(in: archive, commands: [Close.self, Close.self])) == .invalidInput)
        #expect(code(course.skipping(1), through: 6) == nil)
    }

    /// Skipping a command is the same as never having performed it.
    @Test(arguments: 0..<UInt64(Extent.pick(brief: 5, quick: 30, deep: 1_000)))
    func `that skips commands is that of a store without them`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let archive = try log { store in
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
        let outcome = try WhatIf(in: archive, commands: commands).skipping(skipped).run()
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
