import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import Testing

@Suite struct `A log whose closing block was not synced` {
    /// For some of these counts the closing block ends with its sector, so no later write brings it
    /// to the medium.
    @Test(arguments: 1...60)
    func `has no hole there after the next opening and writes`(count: Int) throws {
        let fixture = LogFixture()
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        try log.append(count)
        try log.sync(through: log.end)
        disk.inject(Fault(.syncFile))
        #expect(logCode { try log.close() } == .durabilityLost)
        let next = disk.killed()
        let (again, recovery) = try fixture.open(next)
        #expect(recovery.wasClean)
        try again.append(3)
        try again.sync(through: again.end)
        for seed in 0..<8 {
            let (last, _) = try fixture.open(next.crashed(seed: UInt64(seed)))
            #expect(try last.batches() == expected(UInt64(count + 3)))
        }
    }

    @Test func `can be opened after a crash at any operation of its opening`() throws {
        let fixture = LogFixture()
        for count in 1...10 {
            let disk = SimulatedDisk()
            let log = try fixture.make(on: disk)
            try log.append(count)
            try log.sync(through: log.end)
            disk.inject(Fault(.syncFile))
            #expect(logCode { try log.close() } == .durabilityLost)
            for after in 0..<24 {
                let next = disk.killed()
                next.inject(Fault(nil, after: after, isLasting: true))
                _ = try? fixture.open(next)
                for seed in 0..<4 {
                    let (last, _) = try fixture.open(next.crashed(seed: UInt64(seed)))
                    #expect(try last.batches() == expected(UInt64(count)))
                }
            }
        }
    }
}

@Suite struct `A log that is closed` {
    private let disk = SimulatedDisk()
    private let fixture = LogFixture()
    private let path = "events/00000000000000000001.open"

    @Test func `frees its preallocated space`() throws {
        let log = try fixture.make(on: disk)
        try log.append(1)
        #expect(disk.contents[path]?.count ?? 0 >= 4_096)
        try log.close()
        #expect(disk.contents[path]?.count ?? 0 < 1_024)
    }

    @Test func `is not rewritten when it is opened again`() throws {
        let log = try fixture.make(on: disk)
        try log.append(600)
        try log.close()
        let next = disk.crashed(seed: 1)
        let sectorCount = try #require(next.contents[path]?.count) / 512
        next.record()
        _ = try fixture.open(next)
        let written = next.snapshots.map(\.disk.unsyncedSectorCount).max() ?? 0
        #expect(written > 0 && written < sectorCount / 10)
    }

    @Test func `has no temporary file after the next opening`() throws {
        try fixture.make(on: disk).close()
        disk.overwrite("events/00000000000000000002.tmp", with: [1, 2, 3])
        _ = try fixture.open(disk)
        #expect(Array(disk.contents.keys) == [path])
    }
}

@Suite struct `A rewritten segment` {
    @Test func `is verified before it replaces the old file`() throws {
        let fixture = LogFixture()
        let path = "events/00000000000000000001.open"
        let first = SimulatedDisk()
        let log = try fixture.make(on: first)
        try log.sync(through: log.append(5))
        let length = log.statistics.fileBytes
        let disk = first.killed()
        let inspection = try fixture.inspect(disk)
        // The second read returns other bytes.
        var bytes = try #require(disk.contents[path])
        bytes[length - 20] ^= 1
        disk.overwrite(path, with: bytes)
        let failure = logCode {
            _ = try FileLog.open(inspection, on: disk, fixture.options)
        }
        #expect(failure == .corrupt)
        #expect(disk.contents[path] == bytes)
    }
}
