import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `A read and the threads around it` {
    @Test(arguments: Medium.allCases, Caller.allCases)
    func `S-021: a read has ended when it returns`(medium: Medium, caller: Caller) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let steps = try await caller.run {
            var steps: [String] = []
            store.read { _ in steps.append("block") }
            steps.append("after")
            return steps
        }
        #expect(steps == ["block", "after"])
    }

    @Test(arguments: Medium.allCases, Caller.allCases)
    func `S-022: a read block runs on its caller's thread`(medium: Medium, caller: Caller)
        async throws
    {
        let home = try Home(medium)
        let store = try home.open()
        let (isSame, isMain) = try await caller.run {
            let thread = pthread_self()
            return store.read { _ in
                (pthread_equal(pthread_self(), thread) != 0, Caller.isMain)
            }
        }
        #expect(isSame)
        #expect(isMain == (caller == .main))
    }

    @MainActor @Test(arguments: Medium.allCases)
    func `S-022: a read in the background passes a blocked main thread`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let count = Monitor<Int?>(nil)
        Thread.detachNewThread {
            let result = store.read { (try? $0.count(User.self)) ?? 0 }
            count.change { $0 = result }
        }
        // Blocks the main thread until the read has ended.
        let found = count.wait { $0 }
        #expect(found == 1)
    }

    @Test(arguments: Medium.allCases)
    func `S-023: any thread reads what a finished write wrote`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let rounds = 1_000
        let turn = Monitor((written: 0, read: 0))
        Thread.detachNewThread {
            for round in 1...rounds {
                _ = try? store.writeSync { try $0.upsert(Account(id: 1, amount: round)) }
                turn.change { $0.written = round }
                turn.wait { $0.read == round ? () : nil }
            }
        }
        var seen: [Int?] = []
        for round in 1...rounds {
            turn.wait { $0.written == round ? () : nil }
            seen.append(try store.get(Account.self, 1)?.amount)
            turn.change { $0.read = round }
        }
        #expect(seen == Array(1...rounds))
    }

    @Test(arguments: Medium.allCases)
    func `S-024: a read sees one state while a writer moves units`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write {
            try $0.insert([Account(id: 1, amount: 500), Account(id: 2, amount: 500)])
        }
        let state = Monitor((mayEnd: false, moveCount: 0))
        Thread.detachNewThread {
            while !state.withLock({ $0.mayEnd }) {
                _ = try? store.write { tx in
                    try tx.update(Account.self, 1) { $0.amount -= 1 }
                    try tx.update(Account.self, 2) { $0.amount += 1 }
                }
                state.change { $0.moveCount += 1 }
            }
            state.change { $0.mayEnd = false }
        }
        state.wait { $0.moveCount > 0 ? () : nil }
        var sums: Set<Int> = []
        for _ in 0..<10_000 {
            let sum = try store.read { try $0.all(Account.self).reduce(0) { $0 + $1.amount } }
            sums.insert(sum)
        }
        #expect(sums == [1_000])
        state.change { $0.mayEnd = true }
        state.wait { $0.mayEnd ? nil : () }
        #expect(try store.get(Account.self, 1)?.amount != 500)
    }

    @Test(arguments: Medium.allCases)
    func `S-025: a read changes nothing, whatever is done with its results`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        try store.read { state in
            var john = try #require(try state.get(User.self, User.john.id))
            john.firstname = "Jo"
        }
        #expect(store.sequence == 1)
        try store.write { try $0.insert(Pet()) }
        let again = try home.reopened(store)
        #expect(try again.all(User.self) == [.john])
        #expect(again.sequence == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-026: writes and reads are chained`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        var steps: [Int] = []
        try store
            .writeSync { _ in steps.append(1) }
            .read { _ in steps.append(2) }
            .writeSync { _ in steps.append(3) }
            .read { _ in steps.append(4) }
        #expect(steps == [1, 2, 3, 4])
    }
}
