import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `Concurrent write blocks` {
    @Test(arguments: Medium.allCases)
    func `S-054: overlap, and are committed one after the other`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let inside = Monitor(0)
        let failures = Locked(0)
        inParallel(4, threads: 4) { number in
            do {
                try store.writeConcurrently(by: "\(number)") { tx in
                    try tx.insert(Account(id: number))
                    // None of them ends before all have begun.
                    inside.change { $0 += 1 }
                    inside.wait { $0 >= 4 ? () : nil }
                }
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        let events = try home.reopened(store).allEvents
        #expect(events.map(\.sequence) == [1, 2, 3, 4])
        #expect(Set(events.map(\.metadata.actor)) == ["0", "1", "2", "3"])
    }

    @Test(.long, arguments: Medium.allCases)
    func `S-056: lose no increment: it counts, or it is a typed conflict`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(Account(id: 1)) }
        let (done, conflicts) = (Locked(0), Locked(0))
        inParallel(4_000, threads: 8) { _ in
            do {
                try store.writeConcurrently(retries: 2) { tx in
                    try tx.update(Account.self, 1) { $0.amount += 1 }
                }
                done.withLock { $0 += 1 }
            } catch {
                #expect((error as? StoreError)?.code == .conflict)
                conflicts.withLock { $0 += 1 }
            }
        }
        let count = done.withLock { $0 }
        #expect(count + conflicts.withLock { $0 } == 4_000)
        #expect(try home.reopened(store).get(Account.self, 1)?.amount == count)
    }

    @Test(arguments: Medium.allCases)
    func `S-056: lose no increment beside serial blocks, with enough retries`(
        medium: Medium
    ) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(Account(id: 1)) }
        let failures = Locked(0)
        inParallel(400, threads: 8) { number in
            do {
                let add: (inout WriteTransaction) throws -> Void = { tx in
                    try tx.update(Account.self, 1) { $0.amount += 1 }
                }
                if number % 2 == 0 {
                    try store.writeConcurrently(retries: .max - 1, add)
                } else {
                    try store.write(add)
                }
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(try home.reopened(store).get(Account.self, 1)?.amount == 400)
    }
}
