import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

/// One simulated run of a log until a fault ends it: what was appended, and what was acknowledged.
private struct LogRun {
    var appended: UInt64
    var durable: UInt64

    /// Appends, syncs, seals and marks at random, until an operation fails.
    mutating func perform(on log: FileLog, steps: Int, _ random: inout Steps) {
        do {
            for _ in 0..<steps {
                switch random.next() % 10 {
                case 0: _ = try log.sealNext()
                case 1, 2:
                    let end = log.end
                    try log.sync(through: end)
                    durable = max(durable, end.head.sequence)
                case 3: try log.markIdle()
                default:
                    try log.append(1)
                    appended = log.head.sequence
                }
            }
        } catch {
            // The log has reported the failure. What it acknowledged before counts.
        }
    }
}

@Suite(.long) struct `A log after a crash` {
    private let fixture = LogFixture(segmentBytesMax: 900)

    /// Opens the log and compares it with what was acknowledged.
    private func check(
        _ disk: SimulatedDisk, _ run: LogRun, keepsAppended: Bool, _ context: String
    ) throws -> FileLog {
        let (log, _) = try fixture.open(disk)
        let last = log.head.sequence
        #expect(last >= (keepsAppended ? run.appended : run.durable), "\(context)")
        #expect(last <= run.appended + 1, "\(context)")
        #expect(try log.batches() == expected(last), "\(context)")
        return log
    }

    @Test func `keeps what it acknowledged through random faults, kills and power cuts`() throws {
        for seed in 1...Extent.pick(brief: 80, quick: 800, deep: 20_000) {
            var random = Steps(UInt64(seed))
            var disk = SimulatedDisk()
            var log = try fixture.make(on: disk)
            var run = LogRun(appended: 0, durable: 0)
            for round in 0..<3 {
                if random.next() % 2 == 0 {
                    let kinds: [SimulatedDisk.Kind] = [
                        .write, .syncFile, .rename, .syncDirectory, .create,
                    ]
                    disk.inject(
                        Fault(
                            kinds[Int(random.next() % 5)], after: Int(random.next() % 12),
                            isLasting: true, writtenBytes: Int(random.next() % 64)))
                }
                run.perform(on: log, steps: 40, &random)
                let isKill = random.next() % 2 == 0
                disk = isKill ? disk.killed() : disk.crashed(seed: random.next())
                let context = "seed \(seed), round \(round), \(isKill ? "kill" : "power cut")"
                do {
                    log = try check(disk, run, keepsAppended: isKill, context)
                } catch {
                    Issue.record("\(context): \(error)")
                    return
                }
                run = LogRun(appended: log.head.sequence, durable: log.head.sequence)
            }
        }
    }

    @Test func `recovers from a crash at every operation of rolling and sealing (F4, F8, F10)`()
        throws
    {
        var after = 0
        while true {
            let disk = SimulatedDisk()
            let log = try fixture.make(on: disk)
            let before = disk.operations.count
            disk.inject(Fault(nil, after: after, isLasting: true))
            var run = LogRun(appended: 0, durable: 0)
            do {
                while log.head.sequence < 20 {
                    try log.append(1)
                    run.appended = log.head.sequence
                    if log.head.sequence % 4 == 0 {
                        try log.sync(through: log.end)
                        run.durable = log.head.sequence
                    }
                    _ = try log.sealNext()
                }
            } catch {}
            let isOver = disk.operations.count - before <= after
            for seed in 0..<6 {
                let context = "operation \(after), seed \(seed)"
                _ = try check(disk.crashed(seed: UInt64(seed)), run, keepsAppended: false, context)
            }
            _ = try check(disk.killed(), run, keepsAppended: true, "operation \(after)")
            if isOver { break }
            after += 1
        }
        #expect(after > 50)
    }

    @Test func `recovers from a crash at every operation of its recovery (F12)`() throws {
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        try log.append(9)
        try log.sync(through: log.end)
        try log.append(1)
        for seed in 0..<12 {
            let crashed = disk.crashed(seed: UInt64(seed))
            let (reference, _) = try fixture.open(crashed.killed())
            let last = reference.head.sequence
            var after = 0
            while true {
                let again = crashed.killed()
                again.inject(Fault(nil, after: after, isLasting: true))
                let opened = try? fixture.open(again)
                let next = again.crashed(seed: UInt64(after))
                #expect(try fixture.open(next).0.batches() == expected(last))
                if opened != nil, again.operations.count <= after { break }
                after += 1
            }
        }
    }

    @Test func `keeps after a power cut what an earlier opening has read (F11)`() throws {
        for seed in 0..<40 {
            let disk = SimulatedDisk()
            let log = try fixture.make(on: disk)
            try log.append(5)
            // A kill loses nothing, so the next process reads unsynced events.
            let killed = disk.killed()
            let (next, _) = try fixture.open(killed)
            #expect(next.head.sequence == 5)
            let (last, _) = try fixture.open(killed.crashed(seed: UInt64(seed)))
            #expect(try last.batches() == expected(5))
        }
    }
}

@Suite struct `A follower beside a writer` {
    @Test func `reads each batch after a refresh, through new segments, sealing and other writers`()
        throws
    {
        let fixture = LogFixture(segmentBytesMax: 900)
        let disk = SimulatedDisk()
        var log = try fixture.make(on: disk)
        let follower = try LogFollower(on: disk, fixture.options, framing: LogFixture.framing)
        for step in 1...60 {
            try log.append(1)
            if step % 7 == 0 { _ = try log.sealNext() }
            if step % 20 == 0 {
                try log.close()
                log = try fixture.open(disk).0
            }
            let hasMore = try follower.refresh()
            #expect(hasMore)
            #expect(follower.head == log.head)
            #expect(try follower.batches() == expected(UInt64(step)))
        }
        let isMore = try follower.refresh()
        #expect(!isMore)
    }

    @Test(arguments: [LogFixture().storeID, LogFixture.foreignID])
    func `refuses another log in its place, and shows what it has read`(storeID: StoreID) throws {
        let fixture = LogFixture()
        let disk = SimulatedDisk()
        try fixture.make(on: disk).append(5)
        let follower = try LogFollower(on: disk, fixture.options, framing: LogFixture.framing)
        let other = try fixture.replace(on: disk, by: storeID)
        _ = try other.append([3, 1, 1], as: 1)
        try other.append(9)
        #expect(logCode { _ = try follower.refresh() } == .otherHistory)
        #expect(follower.head.sequence == 5)
        #expect(try follower.batches() == expected(5))
    }
}
