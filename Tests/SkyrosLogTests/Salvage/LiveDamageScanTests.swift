import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A damage scan beside a writer` {
    private let backups = BackupFixture()
    private var fixture: LogFixture { backups.fixture }

    private func batches(_ scan: DamageScan) throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        try scan.forEach(after: 0) { _, batch in
            all.append([UInt8](batch))
            return true
        }
        return all
    }

    @Test func `reads what was sealed and merged since`() throws {
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        try log.grow(toSegments: 4)
        _ = try log.sealNext()
        let count = log.head.sequence
        let scan = try fixture.scan(disk)
        #expect(scan.damages.isEmpty && scan.head == log.head)
        try log.sealAll()
        #expect(try batches(scan) == expected(count))
        #expect(try scan.batches() == expected(count))
        try backups.merge(3, on: disk)
        try log.append(5)
        #expect(try batches(scan) == expected(count))
        #expect(try scan.batches() == expected(count))
    }

    @Test func `does not read other events in their place`() throws {
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        try log.grow(toSegments: 2)
        let scan = try fixture.scan(disk)
        try log.sealAll()
        let fork = SimulatedDisk()
        let forked = try fixture.make(on: fork)
        _ = try forked.append([3, 1, 1], as: 1)
        while forked.statistics.segmentCount == 1 { try forked.append(1) }
        try forked.sealAll()
        let name = "events/00000000000000000001.zst"
        disk.overwrite(name, with: try #require(fork.contents[name]))
        #expect(failure(as: LogError.self) { _ = try batches(scan) } != nil)
    }

    /// Files vanish before each file that the scan opens.
    @Test func `finds no damage while segments are sealed`() throws {
        var openCount = 1
        var number = 0
        while number < openCount {
            let base = SimulatedDisk()
            let log = try fixture.make(on: base)
            try log.grow(toSegments: 4)
            let count = log.head.sequence
            let disk = HookedDisk(base)
            let openings = disk.before(opening: number) {
                try? log.sealAll()
                _ = try? log.append(30)
            }
            let scan = try DamageScan(of: disk, fixture.options, framing: LogFixture.framing)
            #expect(scan.damages.isEmpty && scan.head.sequence >= count, "opening \(number)")
            #expect(try batches(scan) == expected(scan.head.sequence), "opening \(number)")
            openCount = openings.withLock { $0 }
            number += 1
        }
        #expect(number > 4)
    }
}

@Suite struct `An inspection beside a writer` {
    /// A writer of small segments seals one while the inspection reads the others, each time.
    @Test func `opens what will be sealed first, and needs it no more`() throws {
        let backups = BackupFixture()
        let base = SimulatedDisk()
        let log = try backups.fixture.make(on: base)
        try log.grow(toSegments: 5)
        _ = try log.sealNext()
        let count = log.head.sequence
        let disk = HookedDisk(base)
        disk.beforeEach { operation, path in
            guard operation == .open, path.hasSuffix(".zst") else { return }
            try? log.sealAll()
        }
        let inspection = try backups.fixture.inspect(disk)
        #expect(inspection.head.sequence == count && inspection.refusal == nil)
        #expect(base.contents.keys.filter { $0.hasSuffix(".open") }.count == 1)
    }
}
