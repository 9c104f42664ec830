import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Account: Entity {
    var id: Int
    var cents: Int
    static let indexes: [Index<Account>] = [.on(\.cents)]
}

@Suite struct `A search for the event that broke a condition` {
    /// A store with deposits, one of which takes money instead.
    private func archive(events: Int, broken: Int?) throws -> Archive {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Account.self)
        for number in 1...max(1, events) where number <= events {
            let actor = number == broken ? "mallory" : "ada"
            try store.write(by: actor, because: "deposit \(number)", durability: .deferred) {
                try $0.insert(Account(id: number, cents: number == broken ? -1 : number))
            }
        }
        try store.close()
        return try Archive(on: disk, entities: [Account.self])
    }

    private func isSolvent(_ state: Snapshot) throws -> Bool {
        try state.first(Account.self, where: \.cents < 0) == nil
    }

    /// ⌈log₂ n⌉.
    private func logarithm(_ number: Int) -> Int {
        Int.bitWidth - (number - 1).leadingZeroBitCount
    }

    @Test func `finds one bad event of 12,000 in 14 states at most`() throws {
        let archive = try archive(events: 12_000, broken: 7_345)
        var steps: [(done: Int, total: Int)] = []
        let found = try archive.bisect(progress: { steps.append(($0, $1)) }, isSolvent)
        let event = try #require(found.event)
        #expect(event.sequence == 7_345)
        #expect(event.metadata.actor == "mallory")
        #expect(event.metadata.reason == "deposit 7345")
        #expect(try event.changes(of: Account.self).map { try $0.after?.cents } == [-1])
        #expect(try isSolvent(event.stateBefore) && !isSolvent(event.stateAfter))
        #expect(Double(found.stateCount) <= log2(12_000) + 1)
        // A state is made from the last one in which the condition holds.
        #expect(steps.count <= 12_000 + 14)
        #expect(steps.map(\.done) == (1...steps.count).map { min($0, 12_000) })
        #expect(steps.allSatisfy { $0.total == 12_000 })
    }

    @Test func `finds each event, in logs of any length`() throws {
        for events in 0...17 {
            for broken in 1...events + 1 {
                let archive = try archive(events: events, broken: broken)
                let found = try archive.bisect(isSolvent)
                #expect(found.stateCount <= logarithm(events + 2))
                switch found.finding {
                case .event(let event): #expect(event.sequence.rawValue == UInt64(broken))
                case .holds(let last):
                    #expect(broken == events + 1 && last.rawValue == UInt64(events))
                case .brokenAlready: Issue.record("the log begins without accounts")
                }
            }
        }
    }

    @Test func `begins and ends where it is asked to`() throws {
        let archive = try archive(events: 20, broken: 8)
        func finding(
            after first: SequenceNumber?, through last: SequenceNumber?
        ) throws -> Bisection.Finding {
            try archive.bisect(after: first, through: last, isSolvent).finding
        }
        for first: SequenceNumber in [8, 9, 20] {
            guard case .brokenAlready(first) = try finding(after: first, through: nil) else {
                Issue.record("event 8 is not after \(first)")
                continue
            }
        }
        for last: SequenceNumber in [0, 1, 7] {
            guard case .holds(last) = try finding(after: nil, through: last) else {
                Issue.record("event 8 is not before \(last)")
                continue
            }
        }
        guard case .event(let event) = try finding(after: 7, through: 8) else {
            Issue.record("event 8 is the only one")
            return
        }
        #expect(event.sequence == 8)
        #expect(throws: StoreError(.noSuchEvent, "")) { try finding(after: nil, through: 21) }
        #expect(throws: StoreError(.invalidInput, "")) { try finding(after: 9, through: 8) }
    }

    @Test func `names an event that broke it, if others broke it too`() throws {
        let store = try Store(inMemory: Account.self)
        for cents in [1, -1, 2, 3, -2, 4, -3, 5, -4] {
            try store.write { try $0.upsert(Account(id: 1, cents: cents)) }
        }
        let event = try #require(try store.archive().bisect(isSolvent).event)
        #expect(try isSolvent(event.stateBefore) && !isSolvent(event.stateAfter))
    }

    @Test func `begins with what a pruned log keeps`() throws {
        var options = Store.Options()
        options.sealThresholdBytes = 0
        let store = try Store.simulated(
            [Account.self], options, Environment(disk: SimulatedDisk()))
        for number in 1...6 {
            if number == 4 {
                try store.flush()
                try store.run(.endSegment)
                try store.run(.seal)
            }
            if number == 5 { try store.run(.prune) }
            try store.write { tx in
                try tx.insert(Account(id: number, cents: number == 5 ? -1 : 1))
            }
        }
        let archive = try store.archive()
        #expect(archive.firstSequence == 4)
        #expect(try archive.bisect(isSolvent).event?.sequence == 5)
        #expect(throws: StoreError(.belowFloor, "")) { try archive.bisect(after: 1, isSolvent) }
        let first = try archive.bisect { try $0.count(Account.self) < 3 }
        guard case .brokenAlready(3) = first.finding else {
            Issue.record("the floor has three accounts: \(first.finding)")
            return
        }
    }

    @Test func `throws what the condition throws`() throws {
        struct Failure: Error {}
        let archive = try archive(events: 5, broken: nil)
        #expect(throws: Failure.self) { try archive.bisect { _ in throw Failure() } }
    }
}
