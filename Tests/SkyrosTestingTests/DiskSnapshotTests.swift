import SkyrosDisk
import SkyrosTesting
import Testing

@Suite struct `A recorded disk` {
    private let disk = SimulatedDisk()

    /// Writes a durable sector of "o", then two sectors of "n" from the start of the file.
    private func write() throws {
        try disk.makeDirectory(.events)
        try disk.syncDirectory(.root)
        let file = try disk.open(DiskPath(.events, "a"), .create)
        try file.fill("o", sectors: 0..<1)
        try file.sync()
        try disk.syncDirectory(.events)
        disk.record()
        try file.fill("n", sectors: 0..<2)
        _ = try file.status()
        try file.sync()
    }

    private func letters(_ disk: SimulatedDisk) -> [Int] {
        let bytes = disk.contents["events/a"] ?? []
        return ["o", "n"].map { letter in
            bytes.count { $0 == Character(letter).asciiValue }
        }
    }

    @Test func `has snapshots before each change and within each write`() throws {
        try write()
        let snapshots = disk.snapshots
        #expect(snapshots.map(\.writtenByteCount) == [nil, 1, 512, 1_023, nil, nil])
        #expect(snapshots.map(\.operationCount) == [6, 6, 6, 6, 8, 9])
        let contents = snapshots.map { letters($0.disk) }
        #expect(
            contents == [[512, 0], [511, 1], [0, 512], [0, 1_023], [0, 1_024], [0, 1_024]])
        #expect(snapshots.map(\.disk.unsyncedChangeCount) == [0, 1, 1, 2, 2, 0])
    }

    @Test func `can lose any subset of its unsynced sectors`() throws {
        try write()
        let beforeSync = try #require(disk.snapshots.dropLast().last).disk
        #expect(beforeSync.unsyncedSectorCount == 2)
        let contents = (0..<4).map { letters(beforeSync.crashed(keepingSectors: $0)) }
        #expect(contents == [[512, 0], [0, 512], [512, 512], [0, 1_024]])
    }

    @Test func `has the same fingerprint as equal disks and no others`() throws {
        try write()
        let disks = disk.snapshots.map(\.disk)
        let prints = disks.map(\.fingerprint)
        #expect(Set(prints).count == disks.count)
        #expect(disks.map { $0.killed().fingerprint } == prints)
        // The last two have the same content, but only one of them is durable.
        let crashed = disks.suffix(2).map { $0.crashed(keeping: .max).fingerprint }
        #expect(crashed[0] == crashed[1])
        #expect(prints[4] != prints[5])
    }

    @Test func `lists the operations that failed`() throws {
        try write()
        disk.inject(Fault(.remove))
        #expect(throws: DiskError.self) { try disk.remove(DiskPath(.events, "a")) }
        #expect(disk.failures == [9])
        #expect(disk.killed().failures == [])
    }
}
