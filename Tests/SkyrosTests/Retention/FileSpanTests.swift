import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Leaf: Entity {
    var id: Int
    var note = ""
}

private let hour: Int64 = 3_600_000_000
private let day = 24 * hour

/// A small store that is used for months, opened and closed now and then.
private struct Usage {
    let disk = SimulatedDisk()
    let clock = ManualClock()
    var options = Store.Options()
    /// The times of all events.
    private(set) var times: [Int64] = []

    init(_ retention: Retention) {
        options.retention = retention
        options.sealThresholdBytes = 400
        options.syncInterval = .seconds(3_600)
        options.idleInterval = .seconds(3_600)
    }

    func open() throws -> Store {
        let store = try Store(on: disk, entities: Leaf.self, options: options, clock: clock)
        store.maintenance.stop()
        return store
    }

    mutating func write(to store: Store, after pause: Int64) throws {
        clock.advance(byMicroseconds: pause)
        let id = times.count % 40
        let receipt = try store.writeWithReceipt { tx in
            try tx.upsert(Leaf(id: id, note: "note \(times.count)"))
        }.receipt
        let sequence = try #require(receipt.sequence)
        times.append(try #require(try store.event(sequence)).time.microseconds)
    }

    mutating func run(days: Int64, _ random: inout RandomSource) throws {
        let end = clock.nowMicroseconds() + days * day
        while clock.nowMicroseconds() < end {
            let store = try open()
            for _ in 0...random.below(20) {
                // Now and then two or three days without an event.
                let pause = random.below(60) == 0 ? 60 : Int64(random.below(4))
                try write(to: store, after: pause * hour + Int64(random.below(1_000_000)))
                switch random.below(10) {
                case 0: try store.run(.indexHistory)
                case 1: try store.run(.seal)
                case 2: try store.run(.merge)
                default: break
                }
            }
            try store.close()
        }
    }

    /// The events and times of the sealed segments, but for the first of the log.
    func segments() throws -> [(before: Int, last: Int)] {
        let stated = try Archive(on: disk).log.statedTimes.filter { $0.segment.hasSuffix(".zst") }
        return stride(from: 0, to: stated.count, by: 2).compactMap { index in
            let (before, last) = (stated[index], stated[index + 1])
            guard before.sequence > 0 else { return nil }
            #expect(before.microseconds == times[Int(before.sequence) - 1])
            #expect(last.microseconds == times[Int(last.sequence) - 1])
            return (Int(before.sequence), Int(last.sequence))
        }
    }

    func runs() throws -> [RunHeader] {
        let store = try open()
        try store.run(.indexHistory)
        let parts = try #require(store.session.history).current().parts
        try store.close()
        return parts.compactMap { part in
            if case .run(let run) = part { run.header } else { nil }
        }
    }

    func time(_ sequence: UInt64) -> Int64 { times[Int(sequence) - 1] }
}

@Suite(.long) struct `A store that keeps ten days` {
    @Test(arguments: 0..<UInt64(Extent.pick(brief: 2, quick: 5, deep: 60)))
    func `has no sealed segment or run of more than a day`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        var usage = Usage(.keep(.days(10)))
        try usage.run(days: 100, &random)
        let segments = try usage.segments()
        #expect(segments.count > 5)
        for (before, last) in segments where last > before + 1 {
            // The last event may come after a pause.
            let span = usage.times[last - 2] - usage.times[before - 1]
            #expect(span <= day, "\(before + 1)...\(last)")
        }
        let runs = try usage.runs()
        #expect(runs.count > 5)
        for run in runs {
            #expect(run.times.start == usage.time(run.sequences.lowerBound))
            #expect(run.times.end == usage.time(run.sequences.upperBound))
            #expect(run.times.fits(day), "\(run.sequences)")
        }
        #expect(try Archive(on: usage.disk).verify().problems == [])
    }

    @Test func `has no longer run that was made without a period`() throws {
        var random = RandomSource(seed: 4)
        var usage = Usage(.forever)
        try usage.run(days: 100, &random)
        #expect(try usage.runs().contains { !$0.times.fits(15 * day) })
        usage.options.retention = .keep(.days(150))
        let runs = try usage.runs()
        #expect(runs.count > 5 && runs.allSatisfy { $0.times.fits(15 * day) })
        #expect(runs.first?.sequences.lowerBound == 1)
        for (run, next) in zip(runs, runs.dropFirst()) {
            #expect(run.sequences.upperBound + 1 == next.sequences.lowerBound)
        }
        #expect(try Archive(on: usage.disk).verify().problems == [])
    }

    @Test func `keeps the period, and not much more`() throws {
        var random = RandomSource(seed: 9)
        var usage = Usage(.keep(.days(10)))
        var floors: Set<SequenceNumber> = []
        var store = try usage.open()
        for number in 0..<1_000 {
            try usage.write(to: store, after: Int64(1 + random.below(3)) * hour)
            try store.run(.retention)
            let (first, newest) = (store.firstSequence, usage.clock.nowMicroseconds())
            if first > 1 {
                // The last event that went, and the first that is kept.
                let age = newest - usage.time(first.rawValue - 1)
                #expect(age > 10 * day && age < 12 * day + 3 * hour, "at event \(number + 1)")
                floors.insert(first)
            } else {
                #expect(newest - usage.times[0] <= 12 * day)
            }
            guard number % 60 == 59 else { continue }
            try store.close()
            store = try usage.open()
        }
        // Each prune costs the whole state.
        #expect(floors.count > 30 && floors.count < 80, "\(floors.count)")
        #expect(try store.count(Leaf.self) == 40)
        try store.close()
        #expect(try Archive(on: usage.disk).verify().problems == [])
    }

    @Test func `waits until the clock agrees with the newest event`() throws {
        var usage = Usage(.keep(.days(10)))
        let store = try usage.open()
        for _ in 0..<40 { try usage.write(to: store, after: 3 * hour) }
        // The clock is ahead for one write.
        try usage.write(to: store, after: 400 * day)
        usage.clock.advance(byMicroseconds: -400 * day)
        try store.run(.retention)
        #expect(store.firstSequence == 1)
        usage.clock.advance(byMicroseconds: 400 * day)
        try store.run(.retention)
        #expect(store.firstSequence > 30)
        try store.close()
    }

    @Test func `has longer ones if it keeps everything`() throws {
        var random = RandomSource(seed: 1)
        var usage = Usage(.forever)
        try usage.run(days: 100, &random)
        let segments = try usage.segments()
        #expect(
            segments.contains { before, last in
                usage.times[last - 1] - usage.times[before - 1] > 3 * day
            })
        let runs = try usage.runs()
        #expect(runs.contains { !$0.times.fits(3 * day) })
        #expect(runs.allSatisfy { $0.times.end == usage.time($0.sequences.upperBound) })
    }

    /// Otherwise the next attempt would end at the same event, and the rest grow without end.
    @Test func `makes the run of a day that is over, however small`() throws {
        var usage = Usage(.keep(.days(10)))
        let store = try usage.open()
        let index = try #require(store.session.history)
        func makeNext() throws -> Bool {
            let newest = store.snapshot
            return try index.makeNext(through: newest.sequence, from: { newest }, syncing: {})
        }
        for _ in 0..<20 { try usage.write(to: store, after: hour) }
        #expect(try !makeNext())
        for _ in 0..<20 { try usage.write(to: store, after: hour) }
        #expect(try makeNext())
        #expect(try !makeNext())
        #expect(index.current().parts.map(\.sequences) == [1...25])
        #expect(index.current().tail.start == 25)
        #expect(try store.history(of: Leaf.self, 7).map(\.sequence) == [8])
        // As before, only bytes make it due.
        #expect(!index.isDue)
        try store.close()
    }

    @Test func `merges runs of one day, and not those of two`() {
        func next(_ hours: [Int64], _ timeSpanMax: Int64?) -> Range<Int>? {
            let runs = zip(hours, hours.dropFirst()).map { start, end in
                RunPlan.Run(
                    logByteCount: 1 << 20,
                    times: TimeSpan(from: start * hour, through: end * hour - 1))
            }
            return RunPlan.next(in: runs, timeSpanMax: timeSpanMax)
        }
        let even = Array(stride(from: 0, through: 27, by: 3) as StrideThrough<Int64>)
        #expect(next(even, nil) == 1..<9)
        #expect(next(even, day) == 1..<9)
        #expect(next(even, day - 2) == nil)
        #expect(next([0, 1, 2, 3, 4, 5, 6, 7, 8, 40], day) == 0..<8)
        #expect(next([0, 1, 2, 3, 4, 5, 6, 7, 8, 40], nil) == 1..<9)
    }

    /// A segment that has ended early does not wait for the next full one.
    @Test func `seals what has ended after a pause`() throws {
        var usage = Usage(.keep(.days(10)))
        usage.options.sealThresholdBytes = 64 << 10
        let store = try Store(
            on: usage.disk, entities: Leaf.self, options: usage.options, clock: usage.clock)
        for _ in 0..<40 { try usage.write(to: store, after: hour) }
        let segments = try #require(store.session.engine.segments)
        #expect(segments.endedSegmentCount == 2)
        store.maintenance.noteIdle()
        store.maintenance.stop()
        #expect(segments.endedSegmentCount == 0)
        #expect(!segments.isActiveSealable)
        try store.close()
    }
}

@Suite struct `The header of a run` {
    private var header: RunHeader {
        RunHeader(
            storeID: StoreID(from: SeededEntropy(seed: 1)), sequences: 3...9,
            times: TimeSpan(from: -5, through: 1_700_000_000_000_000),
            happened: TimeSpan(from: -9, through: -7),
            chainHashBefore: ChainHash(rawValue: 1), chainHashAfter: ChainHash(rawValue: .max),
            logByteCount: 1_000)
    }

    @Test func `says when its first and last event were`() throws {
        #expect(RunHeader(header.bytes) == header)
        let fields = try #require(HashedBytes.content(of: header.bytes))
        let map = try FieldValue(cbor: [UInt8](fields)).map
        #expect(map?["firstTime"] == -5)
        #expect(map?["lastTime"] == 1_700_000_000_000_000)
        #expect(map?["firstHappened"] == -9 && map?["lastHappened"] == -7)
        #expect(map?["format"] == 5)
    }

    @Test func `is of another format if it lacks them`() throws {
        var writer = CBORWriter()
        writer.appendMapHead(1)
        writer.append(text: "format")
        writer.append(Int64(2))
        let bytes = HashedBytes.appendingHash(to: writer.array)
        #expect(RunHeader(bytes) == nil)
        #expect(RunHeader.isOtherFormat(bytes))
        #expect(!RunHeader.isOtherFormat(header.bytes))
    }
}
