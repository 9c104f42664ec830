import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// A log of one age beside a checkpoint of another, as backups and lost writes leave them.
@Suite(.long) struct `A log beside a checkpoint of another age` {
    private static let eventCount = 40
    private static let checkpoint = "checkpoint.sqlite"

    /// What a store had on its disk after each of its events, all of it durable.
    private struct StoreRun {
        /// The log's files through event n, at n.
        var logs: [[String: [UInt8]]] = []
        var checkpoints: [[UInt8]] = []
        var digests: [StateDigest] = []

        /// - Parameter fork: the first event that differs from those of a run without a fork.
        init(fork: Int = .max) throws {
            let disk = SimulatedDisk()
            let store = try Store.forCrashes(
                on: disk, SegmentSizes(full: 1_500, least: 64 << 10), clock: ManualClock(), seed: 3)
            try note(store, disk)
            for number in 1...eventCount {
                let text = number >= fork ? "fork" : "event"
                try store.write(because: "\(text) \(number)", durability: .durable) { tx in
                    try tx.insert(CrashItem(id: number, number: number, text: text))
                    if number.isMultiple(of: 3) { try tx.delete(CrashItem.self, number / 3) }
                }
                try note(store, disk)
            }
            disk.inject(Fault(nil, isLasting: true))
            withExtendedLifetime(store) {}
        }

        private mutating func note(_ store: Store, _ disk: SimulatedDisk) throws {
            try store.maintenance.checkpoint()
            let contents = disk.contents
            logs.append(contents.filter { $0.key.hasPrefix("events/") })
            checkpoints.append(contents[checkpoint] ?? [])
            digests.append(try store.snapshot.digest())
        }
    }

    private static func disk(_ log: [String: [UInt8]], _ checkpoint: [UInt8]) -> SimulatedDisk {
        let disk = SimulatedDisk()
        for (name, bytes) in log { disk.overwrite(name, with: bytes) }
        if !checkpoint.isEmpty { disk.overwrite(Self.checkpoint, with: checkpoint) }
        return disk
    }

    /// Opens a store; its state and what became of the checkpoint, or why it was refused.
    private static func open(
        _ disk: SimulatedDisk
    ) throws -> Result<(StateDigest, RecoveryReport), StoreError> {
        do {
            let store = try Store.forCrashes(
                on: disk, SegmentSizes(full: 1_500, least: 64 << 10), clock: ManualClock(), seed: 4)
            defer { withExtendedLifetime(store) { disk.inject(Fault(nil, isLasting: true)) } }
            return .success((try store.snapshot.digest(), store.recovery))
        } catch let error as StoreError {
            return .failure(error)
        }
    }

    /// What is wrong with an opening of log n with checkpoint m; nil if nothing is.
    private static func problem(_ run: StoreRun, log: Int, checkpoint: Int) throws -> String? {
        let disk = disk(run.logs[log], run.checkpoints[checkpoint])
        let before = disk.contents
        switch try open(disk) {
        case .failure(let error):
            if checkpoint <= log { return "refused: \(error)" }
            if error.code != .logBehindCheckpoint { return "\(error)" }
            return disk.contents == before ? nil : "refused, and changed"
        case .success(let (digest, report)):
            if checkpoint > log { return "opened with less" }
            if digest != run.digests[log] { return "a wrong state" }
            guard checkpoint > 0 else { return nil }
            let isLoaded =
                report.checkpoint == .loaded(SequenceNumber(rawValue: UInt64(checkpoint)))
            return isLoaded ? nil : "\(report.checkpoint)"
        }
    }

    @Test func `is folded on, or refused if it lost something (F29, F30)`() throws {
        let run = try StoreRun()
        let interval = Extent.pick(brief: 41, quick: 7, deep: 1)
        let pairs = (0...Self.eventCount).flatMap { log in
            (0...Self.eventCount).map { (log, $0) }
        }
        let tried = stride(from: 0, to: pairs.count, by: interval).map { pairs[$0] }
        let problems = Locked<[String]>([])
        inParallel(tried.count) { index in
            let (log, checkpoint) = tried[index]
            do {
                let problem = try Self.problem(run, log: log, checkpoint: checkpoint)
                guard let problem else { return }
                problems.withLock { $0.append("log \(log), checkpoint \(checkpoint): \(problem)") }
            } catch {
                problems.withLock { $0.append("log \(log), checkpoint \(checkpoint): \(error)") }
            }
        }
        let wrong = problems.withLock { $0.sorted() }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
        reportSweep("logs beside checkpoints", "\(tried.count) pairs")
    }

    @Test func `is refused if that tells of another history (F31)`() throws {
        let fork = 21
        let run = try StoreRun()
        let other = try StoreRun(fork: fork)
        for number in 1...Self.eventCount {
            for (log, checkpoint) in [(run, other), (other, run)] {
                let disk = Self.disk(log.logs[Self.eventCount], checkpoint.checkpoints[number])
                let before = disk.contents
                switch try Self.open(disk) {
                case .success(let (digest, _)):
                    #expect(number < fork && digest == log.digests[Self.eventCount])
                case .failure(let error):
                    #expect(number >= fork && error.code == .chainBroken)
                    #expect(disk.contents == before)
                }
            }
        }
    }
}
