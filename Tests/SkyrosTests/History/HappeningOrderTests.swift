import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Fact: Entity {
    var id: Int
    var value = 0
}

/// Counts the reads of a log.
private struct CountingLog: LogReader {
    let log: any LogReader
    let count = Locked(0)

    var floor: LogFloor? { log.floor }
    var head: LogHead { log.head }

    func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        count.withLock { $0 += 1 }
        return try log.chunk(containing: sequence)
    }
}

@Suite(.long) struct `The order in which events happened` {
    private let disk = SimulatedDisk()

    private func open() throws -> Store {
        let store = try Store(on: disk, entities: Fact.self)
        store.maintenance.stop()
        return store
    }

    private func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

    private func write(_ store: Store, at seconds: Int, _ id: Int) throws {
        try store.write(metadata: Metadata(occurredAt: date(seconds))) {
            try $0.upsert(Fact(id: id, value: seconds))
        }
    }

    /// Compares with what reading the log gives, for each event that may be the last.
    private func check(
        _ store: Store, _ times: [Int], _ random: inout RandomSource
    ) throws {
        let index = try #require(store.session.history)
        let reader = HistoryReader(log: store.session.engine, empty: store.session.empty)
        for last in 0...times.count {
            let known = times.prefix(last)
            let sequence = SequenceNumber(rawValue: UInt64(last))
            let order = try index.happened(through: sequence)
            #expect(order.isThatOfTheLog == (Array(known) == known.sorted()))
            #expect(order.isThatOfTheLog || order.times == nil)
            guard last > 0 else { continue }
            let time = known[random.below(last)]
            func state(_ index: HistoryIndex?) throws -> Snapshot {
                try reader.snapshot(
                    occurred: EventTime(date(time)), knownThrough: sequence, in: index,
                    from: store.snapshot
                ).snapshot
            }
            let (found, right) = try (state(index), state(nil))
            #expect(found.sequence == right.sequence)
            #expect(try found.digest() == right.digest())
        }
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 10, deep: 200)))
    func `is known from runs, and from what has none`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        var store = try open()
        var (times, time): ([Int], Int) = ([], 1_000)
        // Some logs have one event in another order, or none.
        let fall = random.below(3) == 0 ? nil : random.below(60)
        for number in 0..<40 {
            time += random.below(3)
            times.append(number == fall ? time - 1 - random.below(900) : time)
            try write(store, at: times[number], number % 7)
            if random.below(6) == 0 { _ = try store.makeRun() }
        }
        try check(store, times, &random)
        try store.close()
        store = try open()
        let index = try #require(store.session.history)
        while try index.mergeNext() {}
        try check(store, times, &random)
        try store.close()
        #expect(try Archive(on: Environment(disk: disk)).verify().problems == [])
    }

    @Test func `of an import costs no read of it`() throws {
        let store = try open()
        for number in 0..<2_000 { try write(store, at: number, number) }
        _ = try store.makeRun()
        let log = CountingLog(log: store.session.engine)
        let index = HistoryIndex(
            log, of: store.session.engine.storeID, on: disk, empty: store.session.empty,
            mayWrite: false, report: { _ in Issue.record("a run cannot be used") })
        #expect(index.current().tail.start == 2_000)
        log.count.withLock { $0 = 0 }
        let reader = HistoryReader(log: log, empty: store.session.empty)
        let state = try reader.snapshot(
            occurred: EventTime(date(2_000)), knownThrough: 2_000, in: index, from: store.snapshot
        )
        #expect(state.snapshot.sequence == 2_000)
        // log₂ of the number of events, and one more.
        #expect((1...12).contains(log.count.withLock { $0 }))

        log.count.withLock { $0 = 0 }
        let filter = EventFilter(occurredSince: date(700), occurredUntil: date(703))
        let search = EventSearch(
            reader: reader, index: index, filter: filter, first: 1, last: 2_000, newestFirst: false)
        var (cursor, found) = (EventSearch.Cursor(search), [SequenceNumber]())
        while let event = try cursor.next() { found.append(event.sequence) }
        #expect(found == [701, 702, 703, 704])
        #expect(log.count.withLock { $0 } <= 30)
        try store.close()
    }

    @Test(arguments: [false, true])
    func `narrows a search, both ends included`(isOrdered: Bool) throws {
        let store = try open()
        var times = [1, 3, 3, 5, 8, 8, 9, 12]
        if !isOrdered { times.swapAt(0, 6) }
        for (number, time) in times.enumerated() { try write(store, at: time, number) }
        _ = try store.makeRun()
        for lower in 0...13 {
            for upper in 0...13 {
                let filter = EventFilter(occurredSince: date(lower), occurredUntil: date(upper))
                let found = try Array(store.events(where: filter)).map { Int($0.sequence.rawValue) }
                let right = times.indices.filter { times[$0] >= lower && times[$0] <= upper }
                #expect(found == right.map { $0 + 1 })
            }
        }
        try store.close()
    }

    @Test func `of a pruned log begins with what is kept`() throws {
        var options = Store.Options()
        options.sealThresholdBytes = 0
        let store = try Store.simulated([Fact.self], options, Environment(disk: disk))
        for number in 1...8 {
            if number == 5 {
                try store.flush()
                try store.run(.endSegment)
                try store.run(.seal)
            }
            if number == 6 { try store.run(.prune) }
            try write(store, at: number, number)
        }
        _ = try store.makeRun()
        #expect(try store.archive().firstSequence > 1)
        // Events that are kept happened before the log was pruned.
        let filter = EventFilter(occurredSince: date(2), occurredUntil: date(6))
        let first = try store.archive().firstSequence
        let found = try Array(store.events(first..., where: filter)).map(\.sequence)
        #expect(found == [5, 6])
        try store.close()
    }
}
