import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// Stores on disks that fail and crash at random, compared with an oracle of acknowledged writes.
@Suite(.long) struct `A store that crashes again and again` {
    /// `scripts/test` sets a higher number.
    private static let runCount =
        ProcessInfo.processInfo.environment["SKYROS_CRASH_RUNS"].flatMap { Int($0) }
        ?? Extent.pick(brief: 30, quick: 300, deep: 3_000)

    @Test func `holds a prefix of history (F4, F5, F6, F11, F12)`() throws {
        let findings = Locked<[String]>([])
        inParallel(Self.runCount) { index in
            guard findings.withLock({ $0.isEmpty }) else { return }
            if let finding = CrashRun.finding(of: UInt64(index + 1)) {
                findings.withLock { $0.append(finding) }
            }
        }
        let found = findings.withLock { $0.first }
        #expect(found == nil, "\(found ?? "")")
        if found == nil { reportSweep("crash runs", "seeds 1 to \(Self.runCount), nothing found") }
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `has the same trace for the same seed`(seed: UInt64) throws {
        var runs = (0..<2).map { _ in CrashRun(seed: seed, isTraced: true) }
        for index in runs.indices { try runs[index].run() }
        #expect(runs[0].trace?.isEmpty == false)
        #expect(runs[0].trace == runs[1].trace)
    }
}

/// Regression tests of crash runs: a directory that exists need not be durable.
@Suite struct `A directory whose sync failed in an earlier process` {
    private let disk = SimulatedDisk()

    private func open(_ disk: SimulatedDisk) throws -> Store {
        var options = Store.Options()
        options.syncInterval = .milliseconds(3_600_000)
        return try Store(on: disk, entities: CrashItem.self, options: options)
    }

    /// An opening fails at the sync of the root, and the process is killed.
    private func failToOpen(_ disk: SimulatedDisk) throws -> SimulatedDisk {
        disk.inject(Fault(.syncDirectory))
        #expect(throws: StoreError.self) { try open(disk) }
        return disk.killed()
    }

    @Test func `is synced again, so that the log survives (F15)`() throws {
        let next = try failToOpen(disk)
        let store = try open(next)
        try store.write(durability: .durable) {
            try $0.insert(CrashItem(id: 1, number: 1, text: ""))
        }
        for seed in 0..<40 {
            #expect(try open(next.crashed(seed: UInt64(seed))).count(CrashItem.self) == 1)
        }
    }

    @Test func `is synced again, so that the quarantine survives`() throws {
        let store = try open(disk)
        try store.write {
            let text = String(repeating: "x", count: 2_000)
            try $0.insert(CrashItem(id: 1, number: 1, text: text))
        }
        let torn = try #require(
            try (0..<40).first { seed in
                try open(disk.crashed(seed: seed)).recovery.cutByteCount > 0
            })
        let next = try failToOpen(disk.crashed(seed: torn))
        let path = try #require(try open(next).recovery.quarantined.first)
        let bytes = next.contents[path]
        #expect(bytes?.isEmpty == false)
        for seed in 0..<40 {
            #expect(next.crashed(seed: UInt64(seed)).contents[path] == bytes)
        }
    }
}
