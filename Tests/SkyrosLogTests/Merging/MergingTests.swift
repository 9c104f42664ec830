import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A merged segment` {
    private let fixture = SessionLog.fixture
    private let disk = SimulatedDisk()
    /// Each of the segments has 400 to 1,200 bytes.
    private let batchCounts = [6, 7, 8, 6, 9, 7]
    private let count: UInt64 = 43

    private func log() throws -> FileLog { try SessionLog.make(batchCounts, on: disk) }

    @Test func `holds the batches of its sources, and has the first one's name and header`() throws
    {
        let log = try log()
        let sources = log.state.withLock { $0.catalog.sealed }
        #expect(sources.count == batchCounts.count)
        let chunk = try #require(try log.chunk(containing: 20))
        #expect(try log.mergeNext())
        let merged = try #require(log.state.withLock { $0.catalog.sealed.first })
        let covered = sources.filter { merged.range.contains($0.first) }
        #expect(covered.count > 2)
        #expect(merged.header == sources[0].header && merged.name == sources[0].name)
        #expect(merged.index.timeAfter == covered.last?.index.timeAfter)
        #expect(merged.head == covered.last?.head)
        #expect(merged.frames.count < covered.reduce(0) { $0 + $1.frames.count })
        #expect(disk.sealed.count == sources.count - covered.count + 1)
        #expect(try log.batches() == expected(count))
        let hash = try #require(try log.chunk(containing: 20)).chainHash(through: 20)
        #expect(hash == chunk.chainHash(through: 20))
        try log.close()
        #expect(try fixture.open(disk).0.batches() == expected(count))
        #expect(try fixture.scan(disk).damages.isEmpty)
    }

    @Test func `is read back before it replaces a source`() throws {
        let log = try log()
        let hooked = HookedDisk(disk)
        let next = try fixture.open(hooked).0
        let isDamaged = Locked(false)
        hooked.beforeEach { [disk] operation, path in
            guard operation == .open, path.hasSuffix(".tmp"), var bytes = disk.contents[path],
                !isDamaged.withLock({ $0 })
            else { return }
            isDamaged.withLock { $0 = true }
            bytes[bytes.count / 2] ^= 1
            disk.overwrite(path, with: bytes)
        }
        let before = disk.contents
        #expect(logCode { _ = try next.mergeNext() } == .corrupt)
        #expect(isDamaged.withLock { $0 })
        let isUnchanged = disk.contents == before
        #expect(isUnchanged)
        #expect(try next.batches() == expected(log.head.sequence))
    }

    @Test(arguments: [SimulatedDisk.Kind.create, .write, .rename])
    func `is not made while the disk is full, but later (F17)`(kind: SimulatedDisk.Kind) throws {
        let log = try log()
        let before = disk.contents
        disk.inject(Fault(kind, reason: .noSpace, writtenBytes: 50))
        #expect(logCode { _ = try log.mergeNext() } == .diskFull)
        let isUnchanged = disk.contents == before
        #expect(isUnchanged)
        #expect(try log.mergeAll() > 0)
        #expect(try log.batches() == expected(count))
    }

    @Test(arguments: [SimulatedDisk.Kind.syncFile, .syncDirectory])
    func `stops all writes if a sync fails, and removes no source (F13, F15)`(
        kind: SimulatedDisk.Kind
    ) throws {
        let log = try log()
        let sources = disk.sealed
        disk.inject(Fault(kind))
        #expect(logCode { _ = try log.mergeNext() } == .durabilityLost)
        #expect(disk.sealed == sources)
        let before = disk.operations.count
        #expect(logCode { _ = try log.mergeNext() } == .durabilityLost)
        #expect(logCode { try log.append(1) } == .durabilityLost)
        #expect(disk.operations.count == before)
        #expect(try log.batches() == expected(count))
        // The next process may read the merged name from the cache only.
        let killed = disk.killed()
        #expect(try fixture.open(killed).0.batches() == expected(count))
        for seed in 0..<UInt64(20) {
            for disk in [disk.crashed(seed: seed), killed.crashed(seed: seed)] {
                #expect(try fixture.open(disk).0.batches() == expected(count))
            }
        }
    }

    @Test func `leaves a source that cannot be removed to the next opening`() throws {
        let log = try log()
        disk.inject(Fault(.remove))
        #expect(logCode { _ = try log.mergeNext() } == .io)
        let left = disk.sealed.count
        #expect(try log.batches() == expected(count))
        try log.close()
        let (next, _) = try fixture.open(disk)
        #expect(disk.sealed.count < left)
        #expect(disk.sealed.count == next.sealedNames.count)
        #expect(try next.batches() == expected(count))
    }

    @Test func `is not made of damaged sources, which are reported once`() throws {
        let log = try log()
        let path = try #require(disk.sealed.dropFirst().first)
        let segment = log.state.withLock { $0.catalog.sealed[1] }
        var bytes = try #require(disk.contents[path])
        bytes[segment.frames[0].offset + 20] ^= 1
        // Written to the same file, as rot is.
        let file = try disk.open(DiskPath(.events, String(path.dropFirst(7))), .readWrite)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        let before = disk.contents
        #expect(logCode { _ = try log.mergeNext() } == .corrupt)
        let isUnchanged = disk.contents == before
        #expect(isUnchanged)
        #expect(try log.mergeAll() == 0)
        // Later segments are merged as before.
        for _ in 0..<6 {
            try log.append(9)
            try log.seal()
        }
        #expect(try log.mergeAll() > 0)
        #expect(try log.batches(from: segment.lastSequence + 1).count == 43 + 54 - 13)
    }

    /// A fork continues a copy of its origin under another id.
    @Test(arguments: 1...5)
    func `never crosses the border of two stores`(border: Int) throws {
        let log = try log()
        try log.close()
        let names = disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        for name in names[border...] {
            try disk.editHeader(of: name) { $0[16] ^= 1 }
        }
        let before = try fixture.inspect(disk).catalog?.sealed ?? []
        let (next, _) = try fixture.open(disk)
        #expect(try next.mergeAll() > 0)
        #expect(try next.batches() == expected(count))
        let merged = next.state.withLock { $0.catalog.sealed }
        for segment in before {
            let cover = merged.first { $0.range.contains(segment.first) }
            #expect(cover?.header.storeID == segment.header.storeID)
        }
        try next.close()
        #expect(try fixture.open(disk.killed()).0.batches() == expected(count))
    }

    @Test func `is not made across families of forks`() throws {
        try log().close()
        let names = disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        for name in names[3...] { try disk.editHeader(of: name) { $0[80] = 1 } }
        let (next, _) = try fixture.open(disk)
        try next.mergeAll()
        #expect(next.sealedNames.count >= 2)
        let families = next.state.withLock { $0.catalog.sealed.map(\.header.familyID) }
        #expect(Set(families) == [0, 1])
        #expect(try next.batches() == expected(count))
    }
}

extension SimulatedDisk {
    /// Changes the header of a segment's file, and its checksum.
    func editHeader(of name: String, _ edit: (inout [UInt8]) -> Void) throws {
        var bytes = try #require(contents[name])
        let start = name.hasSuffix(".zst") ? SkippableFrame.headerByteCount : 0
        var header = Array(bytes[start..<start + 88])
        edit(&header)
        header.append(littleEndian: XXH64.hash(header))
        bytes.replaceSubrange(start..<start + 96, with: header)
        overwrite(name, with: bytes)
    }
}
