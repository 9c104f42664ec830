import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// A file that a process has renamed, and that was closed in order before: its name is durable only
/// once the directory was synced. The process is killed in between, and the next one finds a log
/// that looks closed in order.
@Suite struct `A segment whose name may not be durable` {
    private let fixture = LogFixture()

    /// Opens the log after a kill at each operation of `first`, makes one more batch durable, and
    /// cuts the power.
    private func crash(
        _ disk: SimulatedDisk, holding count: UInt64, _ first: () throws -> Void
    ) throws {
        disk.record()
        try first()
        #expect(disk.snapshots.count > 3)
        for snapshot in disk.snapshots {
            let killed = snapshot.disk.killed()
            let (log, _) = try fixture.open(killed)
            try log.append(1)
            try log.sync(through: log.end)
            let crashed = killed.crashed(keeping: 0)
            let (again, _) = try fixture.open(crashed)
            #expect(
                try again.batches() == expected(count + 1),
                "killed before operation \(snapshot.operationCount)")
        }
    }

    @Test func `is written again after a kill of the opening that rewrote it (F4)`() throws {
        let original = SimulatedDisk()
        let log = try fixture.make(on: original)
        try log.append(2)
        try log.close()
        // A power cut has torn the first block of the next process.
        let disk = original.killed()
        let path = "events/00000000000000000001.open"
        let bytes = try #require(disk.contents[path])
        disk.overwrite(path, with: bytes + [0xB5, 2, 1])
        try crash(disk, holding: 2) { _ = try fixture.open(disk) }
    }

    @Test func `is written again after a kill of the opening that named it (F4)`() throws {
        let source = SimulatedDisk()
        let log = try LogFixture(segmentBytesMax: 900).make(on: source)
        try log.grow(toSegments: 3)
        try log.sealAll()
        let last = try #require(try fixture.inspect(source).catalog?.sealed.last?.lastSequence)
        let disk = SimulatedDisk()
        try BackupFixture().backup(source, to: disk, through: last)
        let open = try #require(disk.contents.first { $0.key.hasSuffix(".open") })
        disk.erase(open.key)
        disk.overwrite(open.key.replacing(".open", with: ".tmp"), with: open.value)
        try crash(disk, holding: last) { _ = try fixture.open(disk) }
    }

    /// `cp` syncs nothing.
    @Test(arguments: [false, true])
    func `is durable with all others once a plain copy was opened (F73)`(
        ofSalvage isOfSalvage: Bool
    ) throws {
        let source = SimulatedDisk()
        let small = LogFixture(segmentBytesMax: 900)
        let count: UInt64 = 20
        if isOfSalvage {
            // It names no directory in its last segment.
            let writer = SalvagedLogWriter(
                for: small.storeID, on: source, small.options, entropy: SeededEntropy(seed: 7))
            try writer.begin()
            for number in 1...count {
                try LogFixture.batch(number).withUnsafeBytes {
                    try writer.append($0, time: Int64(number))
                }
            }
            try writer.finish()
        } else {
            let log = try small.make(on: source)
            try log.append(Int(count))
            _ = try log.sealNext()
            try log.close()
        }
        #expect(source.contents.keys.contains { $0.hasSuffix(".zst") })
        let disk = SimulatedDisk()
        try disk.makeDirectory(.events)
        for (path, bytes) in source.contents where path.hasPrefix("events/") {
            let name = try #require(path.split(separator: "/").last)
            let file = try disk.open(DiskPath(.events, String(name)), .create)
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            try file.close()
        }
        let copy = disk.copied()
        let (opened, recovery) = try fixture.open(copy)
        #expect(recovery.wasClean)
        try opened.append(1)
        try opened.sync(through: opened.end)
        let (again, _) = try fixture.open(copy.crashed(keeping: 0))
        #expect(try again.batches() == expected(count + 1))
    }
}
