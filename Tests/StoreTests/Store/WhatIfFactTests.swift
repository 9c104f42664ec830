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

/// The events that are no commands of given types.
@Suite struct `The facts of another course` {
    private let bank = Bank()

    @Test func `counts an event that breaks a rule once, and says what a deletion finds`() throws {
        let archive = try bank.log { store in
            for id in 1...3 {
                try store.write { try $0.insert(Account(id: id, owner: "\(id)")) }
            }
            try store.write { tx in
                try tx.update(Account.self, 1) { $0.cents = 7 }
                try tx.update(Account.self, 2) { $0.owner = "x" }
            }
            try store.write { try $0.delete(Account.self, 1) }
            try store.write { try $0.deleteAll(Account.self) }
        }
        let outcome = try WhatIf(in: archive)
            .inserting(after: 3) { tx in
                try tx.update(Account.self, 1) { $0.cents = 1 }
                try tx.insert(Account(id: 4, owner: "x"))
            }
            .run()
        #expect(outcome.problems.map(\.sequence) == [4, 5, 6])
        #expect(outcome.problemCount == 3 && outcome.appliedCount == 2)
        #expect((outcome.problems[0].error as? StoreError)?.code == .uniqueViolation)
        #expect(
            outcome.problems[1].misfits == [
                .differs(
                    entity: "Account", id: RecordID(1),
                    fields: [FieldChange(field: "cents", before: 7, after: 1)])
            ])
        #expect(outcome.problems[2].misfits == [.cleared(entity: "Account", count: 2, found: 3)])
        #expect(outcome.problems[2].description.contains("3 records, and had 2"))
    }

    @Test func `follows events of entities for which the archive has no type`() throws {
        struct Posting: Entity {
            var id: Int
            var text = "a"
        }
        let store = try Store(on: bank.disk, entities: Account.self, Posting.self)
        try bank.transfers(store)
        try store.write { tx in
            try tx.insert(Posting(id: 1))
            try tx.update(Account.self, 2) { $0.owner = "bob" }
        }
        try store.write { try $0.update(Posting.self, 1) { $0.text = "b" } }
        try store.close()
        let outcome = try WhatIf(in: bank.archive([Account.self]), commands: Bank.commands)
            .skipping(5).run()
        #expect(outcome.problemCount == 0)
        #expect(outcome.state.count("Posting") == 1)
        #expect(try outcome.state.get(Account.self, 2)?.owner == "bob")
        #expect(outcome.differences().map(\.entity) == ["Account", "Account"])
    }

    /// The log has a record in the first shape; a command of today writes it in the second.
    @Test func `applies facts to records of another shape`() throws {
        struct Newer: Entity {
            static let entityName = "Account"
            var id: Int
            var amount = 0
            var owner = "-"
            static let evolution: Evolution<Newer> = [
                .version(2) { .rename("cents", to: "amount") }
            ]
        }
        struct NewTransfer: Command {
            static let commandName = "Transfer"
            var from, to: Int
            var cents: Int
            func run(_ tx: inout WriteTransaction) throws -> Int {
                try tx.update(Newer.self, to) { $0.amount += cents }
                return try tx.update(Newer.self, from) {
                    $0.amount -= cents
                    return $0.amount
                }
            }
        }
        _ = try bank.log { store in
            try bank.transfers(store)
            try store.write { try $0.update(Account.self, 1) { $0.cents = 50 } }
            try store.write { try $0.update(Account.self, 2) { $0.owner = "bob" } }
        }
        let newer = try bank.archive([Newer.self])
        let course = WhatIf(in: newer, commands: [NewTransfer.self])
        let same = try course.starting(after: 2).run()
        #expect(same.executedCount == 3 && same.problemCount == 0)
        #expect(same.differences().isEmpty)
        let other = try course.skipping(5).run()
        #expect(try other.state.get(Newer.self, 1)?.amount == 50)
        #expect(try other.state.get(Newer.self, 2)?.amount == 2)
        #expect(try other.state.get(Newer.self, 2)?.owner == "bob")
        #expect(
            try other.differences().map { try $0.changes.map(\.description) }
                == [["amount: 3 → 2"]])
        let raised = try course.editing(3, as: NewTransfer.self) { $0.cents = 5 }.run()
        #expect(
            raised.problems.map(\.misfits) == [
                [
                    .differs(
                        entity: "Account", id: RecordID(1),
                        fields: [FieldChange(field: "amount", before: 17, after: 16)])
                ]
            ])
        #expect(try raised.state.get(Newer.self, 1)?.amount == 50)
    }

    @Test func `applies what is no command of a given type, and says what does not fit`() throws {
        let archive = try bank.log { store in
            try bank.transfers(store)
            try store.write(by: "eve") { tx in
                try tx.update(Account.self, 1) { $0.owner = "eve" }
                try tx.delete(Account.self, 2)
                try tx.insert(Account(id: 3, owner: "x"))
            }
        }
        let outcome = try WhatIf(in: archive).skipping(4).run()
        // Event 5 has set account 1 from 18 to 17 and account 2 from 2 to 3.
        #expect(try bank.cents(outcome.state) == [17, 0])
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
        let archive = try bank.log { store in
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
        let untyped = try WhatIf(in: bank.archive([])).inserting(after: 0) { tx in
            try tx.upsert(
                Record(
                    entity: "Account", id: RecordID(10),
                    fields: ["id": 10, "cents": 0, "owner": "2"]))
        }.run()
        #expect(untyped.problems.map(\.sequence) == [2])
    }
}
