import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A sealed segment beside its open file` {
    private let fixture = LogFixture(segmentBytesMax: 900)
    private let disk = SimulatedDisk()
    private let first = "events/00000000000000000001"

    /// A log of two segments. The first one exists open and sealed, as a crash can leave it.
    private func log() throws -> (FileLog, count: UInt64) {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount == 1 { try log.append(1) }
        let open = try #require(disk.contents["\(first).open"])
        _ = try log.sealNext()
        try log.close()
        disk.overwrite("\(first).open", with: open)
        return (log, log.head.sequence)
    }

    @Test func `is replaced and sealed again`() throws {
        let (_, count) = try log()
        let (again, recovery) = try fixture.open(disk.killed())
        #expect(recovery.wasClean)
        #expect(try again.batches() == expected(count))
        #expect(again.statistics.sealedSegmentCount == 0)
        while try again.sealNext() {}
        #expect(again.statistics.sealedSegmentCount == 1)
        #expect(try again.batches() == expected(count))
    }

    @Test func `is not the end of the log`() throws {
        let (_, count) = try log()
        let active = try #require(disk.contents.keys.filter { $0.hasPrefix("events/") }.max())
        disk.erase(active)
        #expect(logCode { _ = try fixture.open(disk) } == .segmentMissing)
        #expect(count > 1)
    }

    @Test func `is not read after another file replaced it`() throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount < 3 { try log.append(1) }
        while try log.sealNext() {}
        try log.close()
        #expect(try log.batches() == expected(log.head.sequence))
        let (first, second) = (
            "\(first).zst",
            try #require(
                disk.contents.keys.filter { $0.hasSuffix(".zst") }.max())
        )
        disk.overwrite(first, with: try #require(disk.contents[second]))
        #expect(logCode { _ = try log.batches() } == .segmentMissing)
    }

    @Test func `wins over a shorter open file, whatever its length (F73)`() throws {
        let (_, count) = try log()
        let path = "\(first).open"
        let bytes = try #require(disk.contents[path])
        for length in 0..<bytes.count {
            let copy = disk.killed()
            copy.overwrite(path, with: Array(bytes.prefix(length)))
            #expect(try fixture.scan(copy).damages.isEmpty, "\(length) bytes")
            let (again, _) = try fixture.open(copy)
            #expect(try again.batches() == expected(count), "\(length) bytes")
            #expect(copy.contents[path] == nil || length >= 500)
            #expect(try fixture.open(copy.crashed(seed: 1)).0.batches() == expected(count))
        }
    }

    @Test(arguments: [40, 500])
    func `leaves an open file that cannot be read in the quarantine (F73)`(length: Int) throws {
        let (_, count) = try log()
        let path = "\(first).open"
        let bytes = try #require(disk.contents[path])
        disk.overwrite(path, with: Array(bytes.prefix(length)))
        let (again, recovery) = try fixture.open(disk)
        #expect(recovery.quarantinedFiles == ["quarantine/00000000000000000001.open"])
        #expect(disk.contents["quarantine/00000000000000000001.open"]?.count == length)
        #expect(try again.batches() == expected(count))
    }

    /// The shorter file was the active one, and nothing else says that the history ends here.
    @Test func `names its successor if that is missing (F73)`() throws {
        _ = try log()
        let sealed = try #require(try fixture.inspect(disk).catalog?.ended.first)
        let path = "\(first).open"
        let bytes = try #require(disk.contents[path])
        disk.overwrite(path, with: Array(bytes.prefix(300)))
        disk.erase(try #require(disk.contents.keys.filter { $0.hasPrefix("events/") }.max()))
        let next = sealed.scan.lastSequence + 1
        let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
        #expect(error?.code == .segmentMissing && error?.sequences == next...next)
        let scan = try fixture.scan(disk)
        #expect(scan.head.sequence == next - 1)
        #expect(scan.damages.map(\.sequences) == [next...next])
    }

    @Test func `that is damaged loses to its open file (F73)`() throws {
        let (_, count) = try log()
        let path = "\(first).zst"
        let bytes = try #require(disk.contents[path])
        for offset in bytes.indices {
            let copy = disk.killed()
            var other = bytes
            other[offset] ^= 4
            copy.overwrite(path, with: other)
            let (again, _) = try fixture.open(copy)
            while try again.sealNext() {}
            #expect(try again.batches() == expected(count), "byte \(offset)")
            #expect(again.statistics.sealedSegmentCount == 1, "byte \(offset)")
        }
    }

    @Test func `that is damaged does not lose to an open file without events (F73)`() throws {
        _ = try log()
        disk.erase(try #require(disk.contents.keys.filter { $0.hasPrefix("events/") }.max()))
        let open = try #require(disk.contents["\(first).open"])
        disk.overwrite("\(first).open", with: Array(open.prefix(SegmentHeader.fixedByteCount)))
        var bytes = try #require(disk.contents["\(first).zst"])
        bytes[bytes.count - 4] ^= 4
        disk.overwrite("\(first).zst", with: bytes)
        #expect(logCode { _ = try fixture.open(disk) } == .corrupt)
    }

    @Test func `is refused with the first event that differs (F73)`() throws {
        _ = try log()
        let other = SimulatedDisk()
        let fork = try fixture.make(on: other)
        try fork.append(2)
        _ = try fork.append([3, 1, 1], as: 3)
        try fork.append(1)
        try fork.close()
        let path = "\(first).open"
        disk.overwrite(path, with: try #require(other.contents[path]))
        let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
        #expect(error?.code == .chainBroken && error?.sequences?.lowerBound == 3)
    }

    @Test func `is compared with it by reading each part of both once (F73)`() throws {
        var fixture = LogFixture(segmentBytesMax: 16 << 10)
        fixture.options.frameBytes = 4 << 10
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount == 1 { try log.append(1) }
        let last = log.head.sequence - 1
        _ = try log.sealNext()
        try log.close()
        let other = SimulatedDisk()
        let fork = try fixture.make(on: other)
        try fork.append(Int(last) - 1)
        _ = try fork.append([3, 1, 1], as: last)
        try fork.close()
        let path = "\(first).open"
        disk.overwrite(path, with: try #require(other.contents[path]))
        let before = disk.count(.read)
        let error = failure(as: LogError.self) { _ = try fixture.inspect(disk) }
        #expect(error?.code == .chainBroken && error?.sequences?.lowerBound == last)
        // More than one frame, and far fewer reads than events.
        #expect(last > 80 && disk.count(.read) - before < 40)
    }

    @Test func `loses nothing if a power cut removes it after a failed sync`() throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount == 1 { try log.append(1) }
        try log.sync(through: log.end)
        let count = log.head.sequence
        disk.inject(Fault(.syncDirectory))
        #expect(logCode { _ = try log.sealNext() } == .durabilityLost)
        let killed = disk.killed()
        let (next, _) = try fixture.open(killed)
        while try next.sealNext() {}
        for seed in 0..<20 {
            let crashed = killed.crashed(seed: UInt64(seed))
            #expect(try fixture.open(crashed).0.batches() == expected(count))
        }
    }
}
