import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// Whole stores on disks that fail and crash, beside an oracle that knows what was acknowledged.
@Suite(.long) struct `A store that crashes again and again` {
    /// `scripts/test` asks for many more.
    private static let lifeCount =
        ProcessInfo.processInfo.environment["SKYROS_LIVES"].flatMap { Int($0) }
        ?? Extent.pick(brief: 30, quick: 300, deep: 3_000)

    @Test func `holds a prefix of history (F4, F5, F6, F11, F12)`() throws {
        let findings = Locked<[String]>([])
        inParallel(Self.lifeCount) { index in
            guard findings.withLock({ $0.isEmpty }) else { return }
            if let finding = CrashRun.finding(of: UInt64(index + 1)) {
                findings.withLock { $0.append(finding) }
            }
        }
        let found = findings.withLock { $0.first }
        #expect(found == nil, "\(found ?? "")")
        if found == nil { reportSweep("lives", "seeds 1 to \(Self.lifeCount), nothing found") }
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `lives the same lives for the same seed`(seed: UInt64) throws {
        var runs = (0..<2).map { _ in CrashRun(seed: seed, isTold: true) }
        for index in runs.indices { try runs[index].run() }
        #expect(runs[0].story?.isEmpty == false)
        #expect(runs[0].story == runs[1].story)
    }
}

/// What the lives above have found: a directory that is there need not be on the medium.
@Suite struct `A directory whose sync failed for another process` {
    private let disk = SimulatedDisk()

    private func open(_ disk: SimulatedDisk) throws -> Store {
        var options = Store.Options()
        options.syncInterval = .milliseconds(3_600_000)
        return try Store(on: disk, entities: CrashItem.self, options: options)
    }

    /// An opening that fails at the sync of the root, and the process with it.
    private func failToOpen(_ disk: SimulatedDisk) throws -> SimulatedDisk {
        disk.inject(Fault(.syncDirectory))
        #expect(throws: StoreError.self) { try open(disk) }
        return disk.killed()
    }

    @Test func `does not take the log with it (F15)`() throws {
        let next = try failToOpen(disk)
        let store = try open(next)
        try store.write(durability: .durable) {
            try $0.insert(CrashItem(id: 1, number: 1, text: ""))
        }
        for seed in 0..<40 {
            #expect(try open(next.crashed(seed: UInt64(seed))).count(CrashItem.self) == 1)
        }
    }

    @Test func `does not take the quarantine with it`() throws {
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
