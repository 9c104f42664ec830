import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

@Suite(.long) struct `A simulation of crashes` {
    struct Account: Entity {
        var id: Int
        var cents: Int
    }

    /// Transfers between eight accounts, in one write block or, wrongly, in two.
    private static func bank(inOneBlock: Bool) -> CrashSimulation {
        CrashSimulation(of: Account.self) { store, choose in
            let (from, to, cents) = (choose(8), choose(8), choose(100))
            if store.sequence == .zero {
                try store.write { tx in
                    for id in 0..<8 { try tx.insert(Account(id: id, cents: 1_000)) }
                }
            }
            let durability = [Durability.deferred, .buffered, .durable][choose(3)]
            if inOneBlock {
                try store.write(durability: durability) { tx in
                    try tx.update(Account.self, from) { $0.cents -= cents }
                    try tx.update(Account.self, to) { $0.cents += cents }
                }
            } else {
                try store.write(durability: durability) { tx in
                    try tx.update(Account.self, from) { $0.cents -= cents }
                }
                try store.write(durability: durability) { tx in
                    try tx.update(Account.self, to) { $0.cents += cents }
                }
            }
        }
        .checking("the total is constant") { state in
            let accounts = try state.all(Account.self)
            return accounts.isEmpty || accounts.reduce(0) { $0 + $1.cents } == 8_000
        }
    }

    @Test func `finds no failure in correct code`() throws {
        let tally = try Self.bank(inOneBlock: true).run(seeds: 1...60)
        #expect(tally.runs == 60)
        #expect(tally.steps > 400 && tally.failedSteps > 40 && tally.failedOpenings > 20)
        #expect(tally.kills > 20 && tally.powerCuts > 80)
    }

    @Test func `finds a transaction that is split into two writes`() throws {
        let failure = try #require(throws: CrashFailure.self) {
            try Self.bank(inOneBlock: false).run(seeds: 1...60)
        }
        #expect(failure.problem.hasPrefix("\"the total is constant\" does not hold"))
        #expect(failure.seed != nil)
        // Shrunk: a session with one step, a crash, and the opening that shows the problem.
        #expect(failure.steps.count { $0.hasPrefix("  step") } <= 2, "\(failure)")
        #expect(failure.steps.count { $0.hasPrefix("session") } <= 2, "\(failure)")
        #expect(failure.description.hasPrefix("seed "))
    }

    @Test func `reports an error that is not a StoreError`() throws {
        struct Mistake: Error {}
        let failure = try #require(throws: CrashFailure.self) {
            try CrashSimulation(of: Account.self) { _, _ in throw Mistake() }.run(seeds: 1...50)
        }
        #expect(
            failure.problem.hasPrefix("a step threw an error that is not a StoreError: Mistake"))
    }

    @Test func `reports an error of the disk if the disk has not failed`() throws {
        func failedSteps(_ code: StoreError.Code) throws -> Int {
            try CrashSimulation(of: Account.self) { store, _ in
                try store.write { try $0.upsert(Account(id: 1, cents: 0)) }
                throw StoreError(code, "of the step")
            }.run(seeds: 1...20).failedSteps
        }
        #expect(try failedSteps(.notFound) > 20)
        for code in [StoreError.Code.io, .diskFull, .durabilityLost, .logCorrupt] {
            let failure = try #require(throws: CrashFailure.self) { try failedSteps(code) }
            #expect(failure.problem.contains("of the step"), "\(failure)")
        }
    }

    @Test func `gives the same result for the same seed`() throws {
        let tallies = try (0..<2).map { _ in try Self.bank(inOneBlock: true).run(seeds: 7...9) }
        #expect(tallies[0] == tallies[1])
        let texts = (0..<2).map { _ in
            let error = #expect(throws: CrashFailure.self) {
                try Self.bank(inOneBlock: false).run(seeds: 1...60)
            }
            return error?.description
        }
        #expect(texts[0] == texts[1])
    }
}
