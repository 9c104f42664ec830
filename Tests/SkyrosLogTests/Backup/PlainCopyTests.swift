import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// A copy as `cp` and `tar` make it, file by file and piece by piece, of a log that is written
/// meanwhile.
@Suite struct `A plain copy of a log` {
    private let fixture = LogFixture()
    private let path = "events/00000000000000000001.open"

    /// A log with two durable batches and seven that are not, of which the payload of one is zeros.
    private func disk(lacking index: Int, marked: Bool = false) throws -> SimulatedDisk {
        let original = SimulatedDisk()
        let log = try fixture.make(on: original)
        try log.append(2)
        try log.sync(through: log.end)
        try log.append(7)
        if marked {
            try log.sync(through: log.end)
            try log.markIdle()
        }
        let disk = original.killed()
        var bytes = try #require(disk.contents[path])
        let block = BlockLocation.all(in: bytes).filter(\.isBatch)[index]
        for offset in block.range.dropFirst(48) { bytes[offset] = 0 }
        disk.overwrite(path, with: bytes)
        return disk
    }

    /// What is in the gap was written after the copying began.
    @Test func `ends at its first gap, which is damage in the original (F73)`() throws {
        let disk = try disk(lacking: 3)
        #expect(logCode { _ = try fixture.open(disk.killed()) } == .corrupt)
        #expect(try !fixture.scan(disk).damages.isEmpty)
        let copy = disk.copied()
        #expect(try fixture.scan(copy).damages.isEmpty)
        let (log, recovery) = try fixture.open(copy)
        #expect(try log.batches() == expected(3))
        #expect(recovery.cutBlockCount == 5 && recovery.quarantined != nil)
        // It has its own directory from now on.
        try log.append(3)
        #expect(try fixture.open(copy.killed()).0.batches() == expected(6))
    }

    @Test func `is refused if it lacks what was durable, and names what to copy again (F73)`()
        throws
    {
        for (index, isMarked) in [(1, false), (3, true)] {
            let copy = try disk(lacking: index, marked: isMarked).copied()
            let before = copy.contents
            let error = failure(as: LogError.self) { _ = try fixture.open(copy) }
            #expect(error?.code == .corrupt && error?.file?.name == "00000000000000000001.open")
            #expect(error?.message.contains("copy its events/ again") == true)
            #expect(copy.contents == before)
        }
    }

    /// The file of the next segment was sealed, and so removed, before its turn came.
    @Test func `is refused if the segment after one that has ended was not copied (F73)`() throws {
        let small = LogFixture(segmentBytesMax: 900)
        let original = SimulatedDisk()
        let log = try small.make(on: original)
        try log.grow(toSegments: 3)
        try log.append(1)
        try log.sync(through: log.end)
        let active = try #require(try small.inspect(original).catalog?.active)
        let disk = original.killed()
        disk.erase(active.name.path.description)
        let copy = disk.copied()
        let before = copy.contents
        let error = failure(as: LogError.self) { _ = try small.open(copy) }
        #expect(error?.code == .segmentMissing && error?.file?.name == active.name.description)
        #expect(error?.message.contains("copy its events/ again") == true)
        #expect(copy.contents == before)
        let damage = try small.scan(copy).damages.first
        #expect(damage?.code == .segmentMissing && damage?.segment == active.name)
        // Only the app knows that nothing wrote while it was copied.
        var lenient = small
        lenient.options.acceptsLostTail = true
        let opened = try lenient.open(copy).0
        #expect(opened.head.sequence == active.header.firstSequence - 1)
        #expect(try opened.batches() == expected(opened.head.sequence))
    }

    /// A crash came between the mark and the creation of the successor.
    @Test func `is no copy if it lies where it was written (F4)`() throws {
        let small = LogFixture(segmentBytesMax: 900)
        let original = SimulatedDisk()
        original.record()
        let log = try small.make(on: original)
        try log.grow(toSegments: 2)
        try log.append(1)
        var endedCount = 0
        for snapshot in original.snapshots {
            let killed = snapshot.disk.killed()
            guard let active = try small.inspect(killed).catalog?.active,
                active.scan.lastKind == .ended
            else { continue }
            endedCount += 1
            let (opened, recovery) = try small.open(killed)
            #expect(!recovery.wasClean && opened.head == active.scan.head)
            try opened.append(9)
            try opened.close()
            #expect(try small.open(killed.copied()).0.batches() == expected(opened.head.sequence))
        }
        #expect(endedCount > 0)
    }

    @Test func `knows the directory in which it was opened, through all its files`() throws {
        let disk = SimulatedDisk()
        let small = LogFixture(segmentBytesMax: 900)
        let log = try small.make(on: disk)
        try log.grow(toSegments: 3)
        for open in try small.inspect(disk).catalog.map({ $0.ended + [$0.active] }) ?? [] {
            #expect(open.scan.opening?.directoryID == 1)
            #expect(open.scan.isCopy(on: disk.copied()) && !open.scan.isCopy(on: disk.killed()))
        }
        try log.close()
        let copy = disk.copied()
        _ = try small.open(copy)
        #expect(try small.inspect(copy).catalog?.active.scan.opening?.directoryID == 2)
    }

    /// One moment of the active segment's file, and what was durable then.
    private struct Moment {
        let bytes: [UInt8]
        let durable: UInt64
    }

    /// The file after each step of a writer.
    private func moments(_ random: inout RandomSource) throws -> [Moment] {
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        var moments: [Moment] = []
        for _ in 0..<30 {
            switch random.below(4) {
            case 0: try log.sync(through: log.end)
            case 1: try log.markIdle()
            default: try log.append(random.below(4) + 1)
            }
            let bytes = try #require(disk.contents[path])
            moments.append(Moment(bytes: bytes, durable: log.durableEnd.head.sequence))
        }
        return moments
    }

    @Test func `has all that was durable when the copying began, or names itself (F73)`() throws {
        var (opened, cut, refused) = (0, 0, 0)
        for seed in 0..<UInt64(Extent.current == .deep ? 20_000 : 1_500) {
            var random = RandomSource(seed: seed)
            let moments = try moments(&random)
            let pieceBytes = [64, 512, 4_096][random.below(3)]
            var number = random.below(moments.count)
            let durable = moments[number].durable
            var bytes: [UInt8] = []
            while bytes.count < moments[number].bytes.count {
                let all = moments[number].bytes
                bytes += all[bytes.count..<min(all.count, bytes.count + pieceBytes)]
                if random.below(3) == 0 { number = min(moments.count - 1, number + 1) }
            }
            let copy = SimulatedDisk()
            copy.overwrite(path, with: bytes)
            let disk = copy.copied()
            if let error = failure(as: LogError.self, { _ = try fixture.open(disk.killed()) }) {
                #expect(error.code == .corrupt && error.file != nil, "seed \(seed)")
                #expect(error.message.contains("copy its events/ again"), "seed \(seed)")
                refused += 1
                continue
            }
            let (log, recovery) = try fixture.open(disk)
            #expect(try log.batches() == expected(log.head.sequence), "seed \(seed)")
            #expect(log.head.sequence >= durable, "seed \(seed)")
            if recovery.cutBlockCount > 0 { cut += 1 }
            opened += 1
        }
        #expect(opened > refused && cut > 0 && refused > 0, "\(opened), \(cut), \(refused)")
    }
}

/// A log that ends in a sealed segment whose successor has a temporary name.
@Suite struct `A segment that a backup could not name` {
    private let backups = BackupFixture()
    private let disk = SimulatedDisk()
    private var fixture: LogFixture { backups.fixture }

    /// The copy of a log of sealed segments, whose last one is empty and has a temporary name.
    ///
    /// - Returns: the path of that file, and the number of batches.
    private func interrupted() throws -> (path: String, count: UInt64) {
        let source = SimulatedDisk()
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 3)
        try log.sealAll()
        let last = try #require(try fixture.inspect(source).catalog?.sealed.last?.lastSequence)
        try backups.backup(source, to: disk, through: last)
        let open = try #require(disk.contents.first { $0.key.hasSuffix(".open") })
        let path = open.key.replacing(".open", with: ".tmp")
        disk.erase(open.key)
        disk.overwrite(path, with: open.value)
        return (path, last)
    }

    @Test func `is the active one, for every reader, and gets its name`() throws {
        let (path, count) = try interrupted()
        #expect(try fixture.scan(disk).damages.isEmpty)
        let follower = try LogFollower(on: disk, fixture.options, framing: LogFixture.framing)
        #expect(try follower.batches() == expected(count))
        let (log, recovery) = try fixture.open(disk)
        #expect(recovery.wasClean)
        #expect(try log.batches() == expected(count))
        #expect(disk.contents[path] == nil)
        try log.append(2)
        try log.sync(through: log.end)
        #expect(try fixture.open(disk.crashed(seed: 3)).0.batches() == expected(count + 2))
    }

    @Test func `survives a crash of the opening that names it (F12)`() throws {
        let (_, count) = try interrupted()
        disk.record()
        let log = try fixture.open(disk).0
        try log.close()
        for snapshot in disk.snapshots {
            for seed in 0..<4 {
                let crashed = snapshot.disk.crashed(seed: UInt64(seed))
                #expect(try fixture.open(crashed).0.batches() == expected(count))
            }
        }
    }

    /// Only an empty segment, closed in order, that continues the last one: a store may have lost
    /// anything else.
    @Test func `is no other temporary file (F28)`() throws {
        let (path, count) = try interrupted()
        let bytes = try #require(disk.contents[path])
        var forms: [[UInt8]] = [[], Array(bytes.dropLast(48)), bytes + [1]]
        // Another segment, and one that holds a batch.
        let other = SimulatedDisk()
        let log = try fixture.make(on: other)
        try log.append(1)
        try log.close()
        forms.append(try #require(other.contents["events/00000000000000000001.open"]))
        var header = try SegmentHeader(bytes, in: SegmentName(count + 1, .temporary))
        header.chainHashBefore = header.chainHashBefore.advanced(by: 1)
        forms.append(header.bytes + bytes.dropFirst(header.byteCount))
        for (index, form) in forms.enumerated() {
            disk.overwrite(path, with: form)
            let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
            #expect(error?.code == .segmentMissing, "form \(index)")
            #expect(try !fixture.scan(disk).damages.isEmpty, "form \(index)")
        }
    }
}
