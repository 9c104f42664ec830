import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite(.long) struct `Many calls` {
    @Test(arguments: Medium.allCases)
    func `S-141: create, delete and read all in cycles`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let completions = Completions()
        for cycle in 1...3 {
            store.writeAsync { tx in
                try tx.insert((0..<1_000).map { Account(id: $0, amount: cycle) })
            } completion: {
                completions.add($0)
            }
            completions.wait(for: 2 * cycle - 1)
            #expect(
                try store.all(Account.self).map(\.amount) == Array(repeating: cycle, count: 1_000))
            store.writeAsync {
                try $0.deleteAll(Account.self)
            } completion: {
                completions.add($0)
            }
            completions.wait(for: 2 * cycle)
            #expect(try store.all(Account.self).isEmpty)
        }
        #expect(store.sequence == 6)
    }

    @Test(arguments: Medium.allCases)
    func `S-142: from many threads leave one state`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert((0..<8).map { Account(id: $0, amount: 100) }) }
        let wrong = Locked<[String]>([])
        inParallel(400, threads: 8) { number in
            do {
                try Self.call(store, number)
            } catch {
                wrong.withLock { $0.append("\(error)") }
            }
        }
        #expect(wrong.withLock { $0 } == [])
        let again = try home.reopened(store)
        #expect(try again.all(Account.self).reduce(0) { $0 + $1.amount } == 800)
        let last = again.sequence
        #expect(try again.snapshot(asOf: .sequence(last)).digest() == again.snapshot.digest())
    }

    @Test(.inFiles, arguments: Medium.allCases)
    func `S-142: from many threads leave one state, though some erase`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let wrong = Locked<[String]>([])
        inParallel(400, threads: 8) { number in
            do {
                if number % 40 == 39 { return try store.nuke() }
                try store.write { try $0.upsert(Account(id: number % 8, amount: number)) }
                // The history of before an erasure is gone, whole and with this error only.
                _ = try store.history(of: Account.self, number % 8)
            } catch let error as StoreError where error.code == .erased {
            } catch {
                wrong.withLock { $0.append("\(error)") }
            }
        }
        #expect(wrong.withLock { $0 } == [])
        try store.write { try $0.upsert(Account(id: 8)) }
        let again = try home.reopened(store)
        let last = again.sequence
        let numbers = try again.allEvents.map(\.sequence.rawValue)
        #expect(numbers == Array(1...last.rawValue))
        #expect(try again.snapshot(asOf: .sequence(last)).digest() == again.snapshot.digest())
    }

    /// One of several calls: they keep the sum of all amounts.
    private static func call(_ store: Store, _ number: Int) throws {
        let (from, to) = (number % 8, (number + 3) % 8)
        let move: @Sendable (inout WriteTransaction) throws -> Void = { tx in
            try tx.update(Account.self, from) { $0.amount -= 1 }
            try tx.update(Account.self, to) { $0.amount += 1 }
        }
        switch number % 5 {
        case 0: try store.write(move)
        case 1: store.writeAsync(move)
        case 2:
            let sum = try store.read { try $0.all(Account.self).reduce(0) { $0 + $1.amount } }
            if sum != 800 { throw Refused() }
        case 3: _ = try store.history(of: Account.self, from)
        default:
            let moment = store.sequence
            let then = try store.snapshot(asOf: .sequence(moment))
            if then.sequence != moment { throw Refused() }
        }
    }
}
