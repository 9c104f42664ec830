import SkyrosDisk
import SkyrosTesting
import Testing

/// All other crash tests rely on the disks that a simulated power cut leaves.
@Suite struct `A simulated power cut` {
    private let disk = SimulatedDisk()
    private let path = DiskPath(.events, "a")
    private let seeds: ClosedRange<UInt64> = 1...200

    /// A durable file of four sectors of "o".
    private func makeFile() throws -> any DiskFile {
        try disk.makeDirectory(.events)
        try disk.syncDirectory(.root)
        let file = try disk.open(path, .create)
        try file.fill("o", sectors: 0..<4)
        try file.sync()
        try disk.syncDirectory(.events)
        return file
    }

    private func content(_ disk: SimulatedDisk) -> [UInt8]? { disk.contents["events/a"] }

    @Test func `always keeps what was synced`() throws {
        _ = try makeFile()
        let old = [UInt8](repeating: UInt8(ascii: "o"), count: 2_048)
        #expect(disk.unsyncedChangeCount == 0)
        for seed in seeds { #expect(content(disk.crashed(seed: seed)) == old) }
    }

    @Test func `tears an unsynced write into old and new sectors`() throws {
        let file = try makeFile()
        try file.fill("n", sectors: 1..<3)
        var images: Set<[UInt8]> = []
        for seed in seeds {
            let image = try #require(content(disk.crashed(seed: seed)))
            images.insert(image)
            // Sectors outside the write are unchanged.
            #expect(image[..<512].allSatisfy { $0 == UInt8(ascii: "o") })
            #expect(image[1_536...].allSatisfy { $0 == UInt8(ascii: "o") })
        }
        #expect(images.count == 4)
        func isWhole(_ image: [UInt8], _ sector: Int, _ letter: Character) -> Bool {
            image[sector * 512..<(sector + 1) * 512].allSatisfy { $0 == letter.asciiValue }
        }
        #expect(images.contains { isWhole($0, 1, "n") && isWhole($0, 2, "o") })
        #expect(images.contains { isWhole($0, 1, "o") && isWhole($0, 2, "n") })
        #expect(images.contains { isWhole($0, 1, "n") && isWhole($0, 2, "n") })
    }

    @Test func `may lose or keep a name until its directory is synced`() throws {
        _ = try makeFile()
        try disk.rename(path, to: DiskPath(.events, "b"))
        let names = Set(
            seeds.map { seed in
                disk.crashed(seed: seed).contents.keys.sorted()
            })
        #expect(names.contains(["events/a"]))
        #expect(names.contains(["events/b"]))
        try disk.syncDirectory(.events)
        for seed in seeds {
            #expect(disk.crashed(seed: seed).contents.keys.sorted() == ["events/b"])
        }
    }

    @Test func `may lose a file that was synced and whose name was not`() throws {
        _ = try makeFile()
        let other = try disk.open(DiskPath(.events, "c"), .create)
        try other.fill("c", sectors: 0..<1)
        try other.sync()
        let survivals = Set(seeds.map { disk.crashed(seed: $0).contents["events/c"] != nil })
        #expect(survivals == [true, false])
    }

    @Test func `gives the same disk for the same seed, or for chosen changes`() throws {
        let file = try makeFile()
        try file.fill("n", sectors: 0..<4)
        #expect(content(disk.crashed(seed: 3)) == content(disk.crashed(seed: 3)))
        #expect(disk.unsyncedChangeCount == 1)
        #expect(content(disk.crashed(keeping: 0))?.first == UInt8(ascii: "o"))
        #expect(content(disk.crashed(keeping: 1))?.last == UInt8(ascii: "n"))
    }

    @Test func `starts a new boot, unlike a kill`() throws {
        disk.nameBoot("first")
        #expect(disk.killed().bootID == "first")
        #expect(disk.crashed(seed: 1).bootID != "first")
        let file = try makeFile()
        try file.fill("n", sectors: 0..<4)
        #expect(content(disk.killed())?.allSatisfy { $0 == UInt8(ascii: "n") } == true)
    }
}

@Suite struct `A fault of a simulated disk` {
    private let disk = SimulatedDisk()

    private func makeFile() throws -> any DiskFile {
        try disk.makeDirectory(.events)
        return try disk.open(DiskPath(.events, "a"), .create)
    }

    @Test func `has the properties that it was created with`() {
        let fault = Fault(.write, after: 2, reason: .noSpace, isLasting: true, writtenBytes: 3)
        #expect(fault.kind == .write)
        #expect(fault.after == 2)
        #expect(fault.reason == .noSpace)
        #expect(fault.isLasting)
        #expect(fault.writtenBytes == 3)
        #expect(Fault(.write) == Fault(.write, reason: .inputOutput))
        #expect(SimulatedDisk.Kind(rawValue: "syncFile") == .syncFile)
    }

    @Test func `without a kind fails the next operation of any kind`() throws {
        let file = try makeFile()
        disk.inject(Fault(nil))
        #expect(throws: DiskError.self) { try file.sync() }
        try file.sync()
    }

    @Test func `fails one operation, after the given number of successful ones`() throws {
        let file = try makeFile()
        disk.inject(Fault(.write, after: 1, reason: .noSpace))
        try file.fill("a", sectors: 0..<1)
        #expect { try file.fill("b", sectors: 0..<1) } throws: {
            ($0 as? DiskError)?.isOutOfSpace == true
        }
        try file.fill("c", sectors: 0..<1)
        #expect(disk.count(.write) == 3)
        #expect(
            disk.operations.filter { $0.kind == .write }.map(\.path) == [
                "events/a", "events/a", "events/a",
            ])
    }

    @Test func `that is lasting fails all operations until the disk is healed`() throws {
        let file = try makeFile()
        disk.inject(Fault(.write, isLasting: true))
        for _ in 0..<3 { #expect(throws: DiskError.self) { try file.fill("a", sectors: 0..<1) } }
        disk.heal()
        try file.fill("a", sectors: 0..<1)
    }

    @Test func `can write a part of the bytes`() throws {
        let file = try makeFile()
        disk.inject(Fault(.write, writtenBytes: 700))
        #expect(throws: DiskError.self) { try file.fill("a", sectors: 0..<4) }
        #expect(disk.contents["events/a"]?.count == 700)
    }

    @Test func `in a sync is not repaired by a later sync`() throws {
        let file = try makeFile()
        try disk.syncDirectory(.events)
        try disk.syncDirectory(.root)
        try file.fill("a", sectors: 0..<1)
        disk.inject(Fault(.syncFile, reason: .inputOutput))
        #expect { try file.sync() } throws: { ($0 as? DiskError)?.isFailedSync == true }
        try file.sync()
        let contents = (1...200).map { disk.crashed(seed: $0).contents["events/a"] ?? [] }
        #expect(contents.contains { $0 != [UInt8](repeating: UInt8(ascii: "a"), count: 512) })
    }

    @Test(arguments: SimulatedDisk.Kind.allCases)
    func `can fail every kind of operation`(kind: SimulatedDisk.Kind) throws {
        let file = try makeFile()
        let path = DiskPath(.events, "a")
        disk.inject(Fault(kind, reason: .system(5), isLasting: true))
        #expect(throws: DiskError.self) {
            switch kind {
            case .makeDirectory: try disk.makeDirectory(.quarantine)
            case .removeDirectory: try disk.removeDirectory(.quarantine)
            case .list: _ = try disk.list(.events)
            case .status: _ = try disk.status(of: path)
            case .open: _ = try disk.open(path, .read)
            case .create: _ = try disk.open(DiskPath(.events, "b"), .create)
            case .read:
                try withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { buffer in
                    _ = try file.read(into: buffer, at: 0)
                }
            case .write: try file.fill("a", sectors: 0..<1)
            case .preallocate: try file.preallocate(to: 9)
            case .truncate: try file.truncate(to: 9)
            case .syncFile: try file.sync()
            case .syncDirectory: try disk.syncDirectory(.events)
            case .rename: try disk.rename(path, to: DiskPath(.events, "b"))
            case .remove: try disk.remove(path)
            case .lock: _ = try disk.lock()
            case .close: try file.close()
            }
        }
    }
}
