import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `A synchronous write` {
    @Test(arguments: Medium.allCases, Caller.allCases)
    func `S-043: runs on its caller's thread and is visible on return`(
        medium: Medium, caller: Caller
    ) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let (isMain, count) = try await caller.run {
            var isMain: Bool?
            try store.writeSync { tx in
                isMain = Caller.isMain
                try tx.insert(User.john)
            }
            return (isMain, try store.count(User.self))
        }
        #expect(isMain == (caller == .main))
        #expect(count == 1)
    }

    @Test(arguments: Medium.allCases)
    func `S-045: saves when its block ends`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(try store.all(User.self) == [.john])
        #expect(try home.reopened(store).all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-046: sees its own changes`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let counts = try store.write { tx in
            var counts: [Int] = []
            try tx.insert([User.john, .jane])
            counts.append(try tx.count(User.self))
            try tx.delete(User.jane)
            counts.append(try tx.count(User.self))
            counts.append(try tx.count(User.self, where: \.firstname == "Jane"))
            return counts
        }
        #expect(counts == [2, 1, 0])
        #expect(try store.all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-047: hides its changes from others until its block has ended`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let gates = [Gate(), Gate()]
        let ended = Gate()
        Thread.detachNewThread {
            _ = try? store.write { tx in
                try tx.insert(User.john)
                gates[0].pass()
                try tx.insert(User.jane)
                gates[1].pass()
            }
            ended.pass()
        }
        for gate in gates {
            gate.waitUntilReached()
            #expect(try store.count(User.self) == 0)
            gate.open()
        }
        ended.waitUntilReached()
        ended.open()
        #expect(try store.count(User.self) == 2)
    }

    @Test(arguments: Medium.allCases, Caller.allCases)
    func `S-052: takes its place in a chain`(medium: Medium, caller: Caller) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let (steps, amounts) = try await caller.run {
            var steps: [Int] = []
            var chained = store
            for step in 1...20 {
                chained = try chained.writeSync { tx in
                    steps.append(step)
                    try tx.upsert(Account(id: 1, amount: step))
                }
            }
            let amounts = try store.history(of: Account.self, 1).map { entry in
                try entry.changes.first { $0.field == "amount" }?.after?.integer
            }
            return (steps, amounts)
        }
        #expect(steps == Array(1...20))
        #expect(amounts == Array(1...20))
    }

    @Test(arguments: Medium.allCases)
    func `S-060: leaves nothing of a block that failed`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        #expect(throws: Refused()) {
            try store.write { tx in
                try tx.insert(User.john)
                throw Refused()
            }
        }
        #expect(store.sequence == 0)
        try store.write { try $0.insert(User.jane) }
        let again = try home.reopened(store)
        #expect(try again.all(User.self) == [.jane])
        #expect(try again.allEvents.map(\.changes.count) == [1])
    }
}
