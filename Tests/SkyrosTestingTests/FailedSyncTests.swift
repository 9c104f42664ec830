import SkyrosDisk
import SkyrosTesting
import Testing

/// File systems mark the pages as clean after a failed sync. A later sync does not write them,
/// unless they were written to again. Source: Rebello et al., "Can applications recover from fsync
/// failures?", USENIX ATC 2020.
@Suite struct `A failed sync of a simulated disk` {
    private let disk = SimulatedDisk()
    private let file: any DiskFile
    private let seeds: ClosedRange<UInt64> = 1...200

    /// Writes four durable sectors of "o", and overwrites them with "l". The sync of that fails.
    init() throws {
        try disk.makeDirectory(.events)
        try disk.syncDirectory(.root)
        file = try disk.open(DiskPath(.events, "a"), .create)
        try file.fill("o", sectors: 0..<4)
        try file.sync()
        try disk.syncDirectory(.events)
        try file.fill("l", sectors: 0..<4)
        try failSync()
    }

    private func failSync() throws {
        disk.inject(Fault(.syncFile))
        #expect(throws: DiskError.self) { try file.sync() }
    }

    /// The file's sectors as a string of letters; "?" for a sector with several letters.
    private func sectors(_ disk: SimulatedDisk) -> String {
        let bytes = disk.contents["events/a"] ?? []
        return stride(from: 0, to: bytes.count, by: 512).map { start in
            let letters = Set(bytes[start..<min(start + 512, bytes.count)])
            guard letters.count == 1, let letter = letters.first else { return "?" }
            return letter == 0 ? "0" : String(UnicodeScalar(letter))
        }.joined()
    }

    private func images() -> Set<String> {
        Set(seeds.map { sectors(disk.crashed(seed: $0)) })
    }

    @Test func `may leave any subset of its sectors on the device`() throws {
        #expect(images().count == 16)
        try file.sync()
        let images = images()
        #expect(images.count == 16)
        #expect(images.allSatisfy { $0.allSatisfy { "ol".contains($0) } })
    }

    @Test func `can be read back until the crash, and later only what reached the device`() throws {
        try file.sync()
        #expect(sectors(disk) == "llll")
        #expect(sectors(disk.killed()) == "llll")
        let crashed = disk.crashed(seed: 1)
        let image = sectors(crashed)
        #expect(image != "llll")
        for seed in seeds { #expect(sectors(crashed.crashed(seed: seed)) == image) }
    }

    @Test func `does not affect sectors that are written again and synced`() throws {
        try file.fill("n", sectors: 1..<3)
        try file.sync()
        #expect(images() == ["onno", "onnl", "lnno", "lnnl"])
    }

    @Test func `does not affect a sector that is partly written again and synced`() throws {
        try file.fill("n", bytes: 600..<700)
        try file.sync()
        for seed in seeds {
            let bytes = try #require(disk.crashed(seed: seed).contents["events/a"])
            let sector = String(decoding: bytes[512..<1_024], as: UTF8.self)
            let whole = [("l", 88), ("n", 100), ("l", 324)].map { String(repeating: $0, count: $1) }
            #expect(sector == whole.joined())
        }
    }

    @Test func `leaves old, lost and new bytes possible until a sync succeeds`() throws {
        try file.fill("n", sectors: 0..<1)
        #expect(Set(images().compactMap(\.first)) == ["o", "l", "n"])
        try failSync()
        #expect(Set(images().compactMap(\.first)) == ["o", "l", "n"])
        try file.fill("m", sectors: 0..<1)
        try file.sync()
        #expect(Set(images().compactMap(\.first)) == ["m"])
    }

    @Test func `does not affect sectors beyond a later truncation`() throws {
        try file.truncate(to: 1_024)
        try file.preallocate(to: 2_048)
        try file.sync()
        #expect(images() == ["oo00", "ol00", "lo00", "ll00"])
    }

    @Test func `does not affect bytes beyond a truncation within a sector`() throws {
        try file.truncate(to: 700)
        try file.preallocate(to: 2_048)
        try file.sync()
        for seed in seeds {
            let bytes = try #require(disk.crashed(seed: seed).contents["events/a"])
            #expect(bytes[700...].allSatisfy { $0 == 0 })
        }
    }

    @Test func `counts as an unsynced change that can be kept or lost`() throws {
        try file.fill("n", sectors: 2..<3)
        #expect(disk.unsyncedChangeCount == 2)
        let chosen = (0..<4).map { sectors(disk.crashed(keeping: $0)) }
        #expect(chosen == ["oooo", "llll", "oono", "llnl"])
        try file.sync()
        #expect(disk.unsyncedChangeCount == 2)
        #expect(Set((0..<4).map { sectors(disk.crashed(keeping: $0)) }).count == 4)
    }
}
