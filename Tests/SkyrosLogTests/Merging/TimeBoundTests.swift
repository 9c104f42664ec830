import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// A log whose segments may span 100 microseconds.
private struct BoundedLog {
    let disk = SimulatedDisk()
    var fixture = SessionLog.fixture
    private var lastTime: Int64 = 0

    init(timeSpanMax: Int64? = 100) {
        fixture.options.timeSpanMax = timeSpanMax
    }

    /// Appends a batch for each of these times.
    mutating func append(
        _ times: [Int64], to log: FileLog, deferring: Bool = false
    ) throws {
        for time in times {
            let number = log.head.sequence + 1
            _ = try LogFixture.batch(number).withUnsafeBytes { bytes in
                try log.append(bytes, as: number, timeBefore: lastTime, deferring: deferring)
            }
            lastTime = time
        }
    }

    /// Seals what has ended, and the active segment if it holds enough.
    func seal(_ log: FileLog) throws {
        try log.sync(through: log.end)
        _ = try log.endSegment(after: log.head.sequence, at: lastTime)
        while try log.sealNext() {}
    }
}

extension FileLog {
    /// The first batches of all segments.
    fileprivate var firsts: [UInt64] {
        state.withLock { state in
            let open = state.catalog.ended + [state.catalog.active]
            return state.catalog.sealed.map(\.header.firstSequence)
                + open.map(\.header.firstSequence)
        }
    }

    fileprivate var sealedSpans: [TimeSpan] {
        state.withLock { state in
            state.catalog.sealed.map {
                TimeSpan(from: $0.header.timeBefore, through: $0.index.timeAfter)
            }
        }
    }
}

@Suite(.long) struct `A bound of the time that a segment spans` {
    @Test func `ends the active segment before the next batch, however small it is`() throws {
        var bounded = BoundedLog()
        let log = try bounded.fixture.make(on: bounded.disk)
        try bounded.append([1_000, 1_010, 1_100], to: log)
        // The first segment does not know when it begins.
        #expect(log.firsts == [1, 2])
        try bounded.append([1_101], to: log)
        // Exactly 100 is not too long.
        #expect(log.firsts == [1, 2])
        try bounded.append([1_102, 1_150, 9_000], to: log)
        #expect(log.firsts == [1, 2, 5])
        try bounded.append([9_001, 9_002], to: log)
        #expect(log.firsts == [1, 2, 5, 8])
        #expect(log.state.withLock { $0.catalog.active.header.timeBefore } == 9_000)
        #expect(try bounded.fixture.open(bounded.disk.killed()).0.batches() == expected(9))
        while try log.sealNext() {}
        let spans: [(Int64, Int64)] = [(0, 1_000), (1_000, 1_101), (1_101, 9_000)]
        #expect(log.sealedSpans == spans.map { TimeSpan(from: $0.0, through: $0.1) })
        try log.close()
        #expect(try bounded.fixture.open(bounded.disk).0.batches() == expected(9))
    }

    @Test func `is nothing to a log without it`() throws {
        var bounded = BoundedLog(timeSpanMax: nil)
        let log = try bounded.fixture.make(on: bounded.disk)
        try bounded.append([1_000, 2_000, 90_000, .max - 1], to: log)
        #expect(log.firsts == [1])
    }

    @Test func `ends a segment only once it is durable`() throws {
        var bounded = BoundedLog()
        let log = try bounded.fixture.make(on: bounded.disk)
        try bounded.append([10, 20, 30, 500], to: log, deferring: true)
        #expect(log.firsts == [1])
        let before = bounded.disk.count(.syncFile)
        try bounded.append([501], to: log, deferring: true)
        #expect(log.firsts == [1, 5])
        #expect(bounded.disk.count(.syncFile) > before)
        for seed in 0..<UInt64(20) {
            let (crashed, _) = try bounded.fixture.open(bounded.disk.crashed(seed: seed))
            #expect(crashed.head.sequence >= 4)
        }
    }

    /// A store that gets a bound when it has a history.
    @Test func `ends the segment that was begun without it`() throws {
        var bounded = BoundedLog(timeSpanMax: nil)
        let log = try bounded.fixture.make(on: bounded.disk)
        try bounded.append([1_000, 2_000], to: log)
        try log.close()
        bounded.fixture.options.timeSpanMax = 100
        let (next, _) = try bounded.fixture.open(bounded.disk)
        try bounded.append([2_001, 2_002], to: next)
        #expect(next.firsts == [1, 3])
        #expect(try next.batches() == expected(4))
    }

    /// Damaged headers say anything.
    @Test(arguments: [Int64.min, -1, 0, 1, .max])
    func `never traps, whatever the times`(time: Int64) throws {
        var bounded = BoundedLog()
        let log = try bounded.fixture.make(on: bounded.disk)
        try bounded.append([time, .min, time, .max, time], to: log)
        #expect(try log.batches() == expected(5))
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 4, quick: 20, deep: 200)))
    func `is kept by merges`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        var (bounded, free) = (BoundedLog(timeSpanMax: 1_000), BoundedLog(timeSpanMax: nil))
        let log = try bounded.fixture.make(on: bounded.disk)
        let other = try free.fixture.make(on: free.disk)
        var times: [Int64] = []
        for _ in 0..<40 {
            var session: [Int64] = []
            for _ in 0...random.below(12) {
                let gap = random.below(20) == 0 ? 3_000 : 1 + random.below(60)
                session.append((session.last ?? times.last ?? 1_000) + Int64(gap))
            }
            try bounded.append(session, to: log)
            try free.append(session, to: other)
            times += session
            try bounded.seal(log)
            try free.seal(other)
            try log.mergeAll()
            try other.mergeAll()
        }
        for segment in log.state.withLock({ $0.catalog.sealed }).dropFirst() {
            let (first, last) = (Int(segment.header.firstSequence), Int(segment.lastSequence))
            #expect(segment.header.timeBefore == times[first - 2])
            #expect(segment.index.timeAfter == times[last - 1])
            // The last batch may come after a pause.
            #expect(first == last || times[last - 2] - times[first - 2] <= 1_000)
        }
        let count = UInt64(times.count)
        #expect(try log.batches() == expected(count))
        #expect(log.sealedSpans.count > 4)
        #expect(other.sealedSpans.contains { $0.end - max($0.start, 1_000) > 6_000 })
        let (opened, _) = try bounded.fixture.open(bounded.disk.killed())
        #expect(try opened.batches() == expected(count))
    }
}

@Suite(.long) struct `A plan of merges with a bound of time` {
    private func plan(_ timeSpanMax: Int64?) -> MergePlan {
        var options = LogOptions()
        options.timeSpanMax = timeSpanMax
        return MergePlan(options)
    }

    private func segment(_ byteCount: Int, _ start: Int64, _ end: Int64) -> MergePlan.Segment {
        MergePlan.Segment(
            byteCount: byteCount << 10, times: TimeSpan(from: start, through: end))
    }

    @Test func `merges what a segment that is too late has cut off`() {
        let segments = [
            segment(100, 1_000, 1_040), segment(100, 1_040, 1_100), segment(100, 1_100, 1_101),
        ]
        #expect(plan(100).next(in: segments) == 0..<2)
        #expect(plan(101).next(in: segments) == nil)
        #expect(plan(99).next(in: segments) == nil)
        #expect(plan(nil).next(in: segments) == nil)
    }

    @Test func `merges no more than it may, also where classes are full`() {
        let segments = (0..<12).map { segment(100, 1_000 + 10 * $0, 1_010 + 10 * $0) }
        #expect(plan(nil).next(in: segments) == 0..<6)
        #expect(plan(60).next(in: segments) == 0..<6)
        #expect(plan(50).next(in: segments) == 0..<5)
        #expect(plan(10).next(in: segments) == nil)
        #expect(plan(0).next(in: segments) == nil)
    }

    @Test func `leaves the first segment of a log alone`() {
        let segments = (0..<7).map { segment(100, 10 * $0, 10 + 10 * $0) }
        let late = segments.map { segment in
            let start = segment.times.start
            return MergePlan.Segment(
                byteCount: segment.byteCount,
                times: TimeSpan(from: start == 0 ? 0 : start + 900, through: start + 910))
        }
        #expect(plan(100).next(in: late) == 1..<7)
    }

    /// With a bound, too, nothing is written again and again.
    @Test(arguments: 0..<UInt64(Extent.pick(brief: 20, quick: 100, deep: 2_000)))
    func `ends, and writes each byte four times at most`(seed: UInt64) {
        var random = RandomSource(seed: seed)
        let spanMax: Int64 = 1_000
        let plan = plan(spanMax)
        var segments: [(segment: MergePlan.Segment, writeCount: Int)] = []
        var time: Int64 = 0
        for _ in 0..<300 {
            let start = time
            time += 1 + Int64(random.below(random.below(10) == 0 ? 3_000 : 200))
            let size = 64 << random.below(9)
            segments.append((segment(size, start, time), 1))
            // The background may be late.
            if random.below(4) == 0 { continue }
            var mergeCount = 0
            while let range = plan.next(in: segments.map(\.segment)), mergeCount < 1_000 {
                let merged = segments[range]
                var sum = merged[range.lowerBound].segment
                sum.byteCount = merged.reduce(0) { $0 + $1.segment.byteCount }
                sum.times = sum.times.joined(with: merged[range.upperBound - 1].segment.times)
                #expect(range.count > 1 && sum.times.fits(spanMax))
                let writeCount = (merged.map(\.writeCount).max() ?? 0) + 1
                segments.replaceSubrange(range, with: [(sum, writeCount)])
                mergeCount += 1
            }
            #expect(mergeCount < 300)
        }
        #expect(segments.allSatisfy { $0.writeCount <= 4 })
        #expect(segments.contains { $0.writeCount > 1 })
    }
}

@Suite struct `A span of time` {
    @Test func `fits a limit that it does not exceed`() {
        #expect(TimeSpan(from: 5, through: 15).fits(10))
        #expect(!TimeSpan(from: 5, through: 16).fits(10))
        #expect(TimeSpan(from: 5, through: 16).fits(nil))
        #expect(TimeSpan(from: 16, through: 5).fits(0))
        #expect(TimeSpan(from: 5, through: 5).fits(0))
    }

    @Test func `may have any ends`() {
        #expect(!TimeSpan(from: .min, through: .max).fits(.max))
        #expect(TimeSpan(from: .max, through: .min).fits(0))
        #expect(TimeSpan(from: 0, through: .max).fits(.max))
        let joined = TimeSpan(from: 3, through: 4).joined(with: TimeSpan(from: 4, through: 9))
        #expect(joined == TimeSpan(from: 3, through: 9))
    }
}
