import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Account: Entity, Equatable {
    var id: Int
    var owner: String
    var cents = 0
}

private struct Posting: Entity {
    var id: Int
    var account: Int
    var transfer: String
    var cents: Int
}

private struct Rate: Entity {
    var id: String
    var percent: Int
}

/// Forgets to look at the balance. Reads a record that it does not name.
private struct Transfer: Command {
    var from, to: Int
    var cents: Int
    var hasFee = false
    var witness = 40

    func run(_ tx: inout WriteTransaction) throws {
        try tx.update(Account.self, from) { $0.cents -= cents }
        let rate = hasFee ? try tx.get(Rate.self, "low") : Rate(id: "none", percent: 0)
        guard let percent = rate?.percent else { throw MissingRate() }
        try tx.update(Account.self, to) { $0.cents += cents * (100 - percent) / 100 }
    }

    struct MissingRate: Error {}
}

/// The same command, mended.
private struct MendedTransfer: Command {
    static let commandName = "Transfer"
    var from, to: Int
    var cents: Int
    var hasFee = false

    func run(_ tx: inout WriteTransaction) throws {
        guard try tx.get(Account.self, from)?.cents ?? 0 >= cents else { throw Refusal() }
        try Transfer(from: from, to: to, cents: cents, hasFee: hasFee).run(&tx)
    }

    struct Refusal: Error {}
}

@Suite struct `The smallest history that breaks a condition` {
    private let disk = SimulatedDisk()
    private let target = SimulatedDisk()
    private static let types: [any Entity.Type] = [Account.self, Posting.self, Rate.self]

    private func log(accounts count: Int = 40, _ write: (Store) throws -> Void) throws -> Archive {
        let store = try Store(on: disk, entities: Account.self, Posting.self, Rate.self)
        try store.write { tx in
            for id in 1...count {
                try tx.insert(Account(id: id, owner: "owner \(id)", cents: 100))
            }
            try tx.insert(Rate(id: "high", percent: 3))
            try tx.insert(Rate(id: "low", percent: 1))
        }
        try write(store)
        try store.close()
        return try Archive(
            on: Environment(disk: disk, entropy: SeededEntropy(seed: 4)), entities: Self.types)
    }

    private func isSolvent(_ state: Snapshot) throws -> Bool {
        try state.first(Account.self, where: \.cents < 0) == nil
    }

    /// Whether each posting has its account.
    private func isWhole(_ state: Snapshot) throws -> Bool {
        try state.all(Posting.self).allSatisfy { posting in
            try state.get(Account.self, posting.account) != nil
        }
    }

    private func distill(
        _ archive: Archive, executing commands: [any Command.Type] = [],
        keeping entities: [String] = [], scrubbing: Scrubbing = .none,
        mentioning texts: [String] = [], _ holds: @escaping (Snapshot) throws -> Bool
    ) throws -> DistilledHistory {
        let event = try #require(try archive.bisect(holds).event)
        return try archive.distill(
            event.sequence, onto: Environment(disk: target, entropy: SeededEntropy(seed: 5)),
            executing: commands, keeping: entities, scrubbing: scrubbing, mentioning: texts, holds)
    }

    private func fixture() throws -> Archive { try Archive(on: target, entities: Self.types) }

    private func keys(_ state: Snapshot) throws -> [String] {
        try state.entities.flatMap { entity in
            try state.records(entity).map { "\(entity) \($0.id)" }
        }
    }

    /// Transfers between neighbours, of which the one with `broken` takes too much.
    private func transfer(_ store: Store, broken: Int, hasFee: Bool = false) throws {
        for id in 1..<40 {
            let cents = id == broken ? 500 : 5
            let command = Transfer(from: id, to: id + 1, cents: cents, hasFee: hasFee)
            try store.perform(command, by: "ada")
        }
    }

    @Test func `has what the event changes`() throws {
        let archive = try log { try transfer($0, broken: 17) }
        let history = try distill(archive, executing: [Transfer.self], isSolvent)
        #expect(history.event.sequence == 18 && history.event.metadata.actor == "ada")
        #expect(history.recordCount == 2 && history.originalRecordCount == 42)
        #expect(history.fixture.sequence == 2 && history.fixture.firstOriginalEvent == 18)
        let fixture = try fixture()
        #expect(fixture.sequence == 2)
        #expect(try keys(fixture.snapshot(asOf: .sequence(1))) == ["Account 17", "Account 18"])
        #expect(try isSolvent(fixture.snapshot(asOf: .sequence(1))))
        #expect(try !isSolvent(fixture.snapshot(asOf: .sequence(2))))
        #expect(try fixture.event(2)?.metadata.tags["skyros.event"] == "18")
    }

    @Test func `is red with the faulty code, and green with the mended one`() throws {
        let archive = try log { try transfer($0, broken: 17, hasFee: true) }
        _ = try distill(archive, executing: [Transfer.self], isSolvent)
        let fixture = try fixture()
        let query = "SELECT id FROM Account WHERE cents < 0"
        let red = try WhatIf(in: fixture, commands: [Transfer.self]).starting(after: 1).run()
        #expect(try red.query(query).rows == [[.integer(17)]])
        #expect(red.problems.isEmpty)
        // The command reads a record that nothing in the event says.
        let kept = try keys(fixture.snapshot(asOf: .sequence(1)))
        #expect(kept == ["Account 17", "Account 18", "Rate low"])
        let mended = [MendedTransfer.self]
        let green = try WhatIf(in: fixture, commands: mended).starting(after: 1).run()
        #expect(try green.query(query).rows.isEmpty)
        #expect(green.problems.count == 1 && green.problems[0].error is MendedTransfer.Refusal)
        // It is too late to distill it with this code.
        #expect(throws: StoreError(.invalidInput, "")) {
            let other = Environment(disk: SimulatedDisk())
            _ = try archive.distill(18, onto: other, executing: mended, isSolvent)
        }
    }

    @Test func `keeps what a command names, without its type`() throws {
        let archive = try log { try transfer($0, broken: 17, hasFee: true) }
        let history = try distill(archive, keeping: ["Rate"], isSolvent)
        let kept = try keys(fixture().snapshot(asOf: .sequence(1)))
        let wanted = ["Account 17", "Account 18", "Account 40", "Rate high", "Rate low"]
        #expect(Set(wanted).isSubset(of: kept))
        #expect(history.recordCount < 8)
    }

    @Test func `has the records that others are compared with`() throws {
        let archive = try log { store in
            for number in 1...30 {
                try store.write { tx in
                    let isBroken = number == 21
                    for (side, cents) in [(0, 7), (1, isBroken ? 7 : -7)] {
                        try tx.insert(
                            Posting(
                                id: number * 2 + side, account: 1 + (number + side) % 40,
                                transfer: "t\(number)", cents: cents))
                    }
                }
            }
        }
        // Nothing before the event is needed.
        let balanced = "SELECT transfer FROM Posting GROUP BY transfer HAVING sum(cents) <> 0"
        let history = try distill(archive) { state in
            try state.count("Posting") == 0 || state.query(balanced).rows.isEmpty
        }
        #expect(history.event.sequence == 22 && history.recordCount == 0)
        #expect(history.fixture.sequence == 1)
        #expect(try fixture().snapshot(asOf: .sequence(1)).count("Posting") == 2)
        // Without the event there is no record with the column.
        let other = try WhatIf(in: fixture()).skipping(1).run()
        #expect(try other.query(balanced).rows.isEmpty)
    }

    @Test func `has the record that a deleted one leaves behind`() throws {
        let archive = try log { store in
            try store.write { tx in
                for id in 1...40 {
                    try tx.insert(Posting(id: id, account: id, transfer: "t", cents: 1))
                }
            }
            for id in 1...10 { try store.write { try $0.delete(Posting.self, id) } }
            try store.write { try $0.delete(Account.self, 23) }
        }
        let history = try distill(archive, isWhole)
        #expect(history.recordCount == 2)
        let kept = try keys(fixture().snapshot(asOf: .sequence(1)))
        #expect(kept == ["Account 23", "Posting 23"])
    }

    @Test func `of a deletion of all records has the few that matter`() throws {
        let archive = try log { store in
            try store.write { try $0.insert(Posting(id: 1, account: 9, transfer: "t", cents: 1)) }
            try store.write { try $0.deleteAll(Account.self) }
        }
        let history = try distill(archive, isWhole)
        #expect(history.recordCount == 2)
        #expect(try fixture().event(2)?.changes == [.cleared(entity: "Account", count: 1)])
    }

    @Test func `is found among all records if the event names none that matter`() throws {
        let archive = try log(accounts: 300) { store in
            try store.write { try $0.update(Account.self, 150) { $0.cents = 7 } }
            try store.write { try $0.insert(Rate(id: "new", percent: 2)) }
        }
        // Three accounts and the rate, wherever they are.
        let history = try distill(archive) { state in
            let isSpecial = try state.get(Rate.self, "new") != nil
            let ids = try [3, 150, 299].filter { try state.get(Account.self, $0) != nil }
            return !isSpecial || ids.count < 3
        }
        #expect(history.recordCount == 3 && history.originalRecordCount == 302)
        #expect(history.candidateCount < 120)
    }

    @Test func `has no value of a scrubbed field`() throws {
        let archive = try log { store in
            try store.write(by: "owner 17", because: "for owner 18") { tx in
                try tx.update(Account.self, 17) { $0.cents = -3 }
            }
        }
        let scrubbing = try Scrubbing("Account.owner")
        let history = try distill(archive, scrubbing: scrubbing, isSolvent)
        #expect(history.fixture.pseudonymCount > 0)
        for (name, bytes) in target.contents {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("owner 1"), "\(name)")
        }
        let event = try fixture().event(2)
        #expect(event?.metadata.actor?.hasPrefix("owner-") == true)
        // A condition that is about the values does not break in the fixture.
        let other = SimulatedDisk()
        let error = failure(as: StoreError.self) {
            _ = try archive.distill(
                2, onto: Environment(disk: other), scrubbing: scrubbing
            ) { state in
                try state.all(Account.self).allSatisfy { $0.owner != "owner 17" || $0.cents >= 0 }
            }
        }
        #expect(error?.code == .invalidInput && error?.message.contains("pseudonyms") == true)
        #expect(other.contents.isEmpty)
        let texts = failure(as: StoreError.self) {
            _ = try archive.distill(
                2, onto: Environment(disk: other), scrubbing: scrubbing,
                mentioning: ["SELECT 'owner 17'"], isSolvent)
        }
        #expect(texts?.message.contains("owner 17") == true)
    }

    @Test func `refuses an event that breaks nothing`() throws {
        let archive = try log { try transfer($0, broken: 17) }
        for (sequence, code) in [
            (0, .noSuchEvent), (17, .invalidInput), (19, .invalidInput), (90, .noSuchEvent),
        ] as [(UInt64, StoreError.Code)] {
            let error = failure(as: StoreError.self) {
                _ = try archive.distill(
                    SequenceNumber(rawValue: sequence), onto: Environment(disk: target), isSolvent)
            }
            #expect(error?.code == code, "event \(sequence)")
        }
        #expect(target.contents.isEmpty)
    }
}
