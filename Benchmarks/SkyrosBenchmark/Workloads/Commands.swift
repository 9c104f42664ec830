#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros

    /// W-commands: performing commands, executing those of a log again, and another course.
    enum Commands {
        static let workload = Workload(
            name: "W-commands", title: "commands, performed and executed again", sides: [.skyros],
            measure: measure)

        static let deposits = "executed again: one record"
        static let transfers = "executed again: two records and a result"
        private static let performed = "performed: two records and a result"
        private static let course = "another course: two records and a result"

        private static let accountCount = 10_000

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let count = bench.settings.updates * 2
            let (one, two) = (
                bench.scratch.appending(path: "deposits"),
                bench.scratch.appending(path: "transfers")
            )
            _ = try perform(count, at: one) { Deposit(account: $0 % accountCount, cents: 1) }
            let performing = try perform(count, at: two) { transfer($0) }
            let depositing = try reexecute(Deposit.self, count, at: one)
            let transferring = try reexecute(Transfer.self, count, at: two)
            let archive = try Archive(at: two, entities: [Account.self])
            var outcome: WhatIfOutcome?
            let other = try Cost.measure {
                outcome = try WhatIf(in: archive, commands: [Transfer.self]).skipping(2).run()
            }
            try BenchmarkError.check(outcome?.differences().count ?? -1, 2, "differences")
            return [
                Figure(performed, count, in: performing, .commitsPerSecond),
                Figure(deposits, count, in: depositing, .eventsPerSecond),
                Figure(transfers, count, in: transferring, .eventsPerSecond),
                Figure(course, count, in: other, .eventsPerSecond),
            ]
        }

        /// Makes a store in which these commands were performed.
        private static func perform(
            _ count: Int, at url: URL, _ command: (Int) -> some Command
        ) throws -> Cost {
            let store = try Store(at: url, entities: Account.self)
            try store.write { tx in
                try tx.insert((0..<accountCount).map { Account(id: $0, cents: 1_000) })
            }
            let cost = try Cost.measure {
                for index in 0..<count { try store.perform(command(index)) }
            }
            try store.close()
            return cost
        }

        private static func transfer(_ index: Int) -> Transfer {
            let from = Generator.read(index, of: accountCount)
            return Transfer(from: from, to: (from + 1) % accountCount, cents: 1)
        }

        private static func reexecute(
            _ command: any Command.Type, _ count: Int, at url: URL
        ) throws -> Cost {
            let archive = try Archive(at: url, entities: [Account.self])
            var found: Reexecution?
            let cost = try Cost.measure { found = try archive.reexecute([command]) }
            try BenchmarkError.check(found?.commandCount ?? 0, count, "commands")
            try BenchmarkError.check(found?.differenceCount ?? -1, 0, "differences")
            return cost
        }
    }
#endif
