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

    /// Money that goes from one of eight accounts to another, in one block or, wrongly, in two.
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
        .checking("no money comes or goes") { state in
            let accounts = try state.all(Account.self)
            return accounts.isEmpty || accounts.reduce(0) { $0 + $1.cents } == 8_000
        }
    }

    @Test func `finds nothing where nothing is wrong`() throws {
        let tally = try Self.bank(inOneBlock: true).run(seeds: 1...60)
        #expect(tally.runs == 60)
        #expect(tally.steps > 400 && tally.failedSteps > 40 && tally.failedOpenings > 20)
        #expect(tally.kills > 20 && tally.powerCuts > 80)
    }

    @Test func `finds what is done in two writes and should be one`() throws {
        let failure = try #require(throws: CrashFailure.self) {
            try Self.bank(inOneBlock: false).run(seeds: 1...60)
        }
        #expect(failure.problem.hasPrefix("\"no money comes or goes\" does not hold"))
        #expect(failure.seed != nil)
        // One life with one step, a crash, and the opening that shows it.
        #expect(failure.steps.count { $0.hasPrefix("  step") } <= 2)
        #expect(failure.steps.count { $0.hasPrefix("life") } <= 2)
        #expect(failure.description.hasPrefix("seed "))
    }

    @Test func `finds an error that is none of a store's`() throws {
        struct Mistake: Error {}
        let failure = try #require(throws: CrashFailure.self) {
            try CrashSimulation(of: Account.self) { _, _ in throw Mistake() }.run(seeds: 1...50)
        }
        #expect(failure.problem.hasPrefix("a step throws what is no error of a store: Mistake"))
    }

    @Test func `is the same for the same seed`() throws {
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
