import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Every disk that a crash during merges can leave.
@Suite(.long) struct `A log that crashes while it merges` {
    private let fixture = SessionLog.fixture
    private let batchCounts = [6, 7, 8, 6, 9, 7, 8]
    private let count: UInt64 = 51

    private func check(_ disk: SimulatedDisk, _ context: String) throws {
        let follower = try LogFollower(on: disk, fixture.options, framing: LogFixture.framing)
        #expect(try follower.batches() == expected(count), "\(context)")
        #expect(try fixture.scan(disk).damages.isEmpty, "\(context)")
        let (log, _) = try fixture.open(disk)
        #expect(try log.batches() == expected(count), "\(context)")
        // A power cut may undo the removal of the newest segment's open file.
        while try log.sealNext() {}
        #expect(disk.sealed.count == log.sealedNames.count, "\(context)")
        try log.mergeAll()
        try log.close()
        let next = disk.crashed(seed: 5)
        #expect(try fixture.open(next).0.batches() == expected(count), "\(context)")
    }

    @Test func `loses nothing, whatever of it reached the medium (F4, F8, F10)`() throws {
        var after = 0
        while true {
            let disk = SimulatedDisk()
            let log = try SessionLog.make(batchCounts, on: disk)
            let before = disk.operations.count
            disk.inject(Fault(nil, after: after, isLasting: true))
            _ = try? log.mergeAll()
            let isOver = disk.operations.count - before <= after
            try check(disk.killed(), "killed at operation \(after)")
            let changes = min(disk.unsyncedChangeCount, Extent.pick(brief: 3, quick: 6, deep: 9))
            for bits in 0..<UInt64(1) << UInt64(changes) {
                try check(disk.crashed(keeping: bits), "operation \(after), keeping \(bits)")
            }
            for seed in 0..<UInt64(4) {
                try check(disk.crashed(seed: seed), "operation \(after), seed \(seed)")
            }
            if isOver { break }
            after += 1
        }
        #expect(after > 20)
    }

    /// As a power cut may leave them that undoes removals; the open files too.
    @Test func `opens with any of the sources beside the merged segment (F10)`() throws {
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        var sources: [String: [UInt8]] = [:]
        for batchCount in batchCounts.prefix(5) {
            try log.append(batchCount)
            try log.sync(through: log.end)
            let open = disk.contents.filter { $0.key.hasSuffix(".open") }
            try log.seal()
            sources.merge(open) { $1 }
            sources.merge(disk.contents.filter { $0.key.hasSuffix(".zst") }) { $1 }
        }
        #expect(try log.mergeAll() == 1)
        try log.close()
        let first = try #require(disk.sealed.first)
        let left = sources.keys.filter { $0 != first && disk.contents[$0] == nil }.sorted()
        #expect(left.count > 5)
        let last = log.head.sequence
        for bits in 0..<(1 << left.count) {
            let copy = disk.killed()
            for (index, name) in left.enumerated() where bits >> index & 1 == 1 {
                copy.overwrite(name, with: try #require(sources[name]))
            }
            let (next, recovery) = try fixture.open(copy)
            #expect(recovery.wasClean && recovery.quarantinedFiles.isEmpty)
            #expect(try next.batches() == expected(last), "\(bits)")
            while try next.sealNext() {}
            #expect(copy.contents.keys.sorted() == disk.contents.keys.sorted(), "\(bits)")
        }
    }

    /// The first source is in the merged file only, so what is damaged there is an error, or the
    /// other files hold it.
    @Test func `never opens with less if the merged segment is damaged beside its sources (F24)`()
        throws
    {
        let disk = SimulatedDisk()
        let log = try SessionLog.make(batchCounts, on: disk)
        let before = disk.contents
        #expect(try log.mergeNext())
        try log.close()
        let path = try #require(disk.sealed.first)
        let bytes = try #require(disk.contents[path])
        let second = try #require(
            before.keys.filter { $0.hasSuffix(".zst") }.sorted().dropFirst().first)
        let start = try #require(SegmentName(String(second.dropFirst(7)))?.firstSequence)
        for (name, content) in before where name.hasSuffix(".zst") && name != path {
            disk.overwrite(name, with: content)
        }
        var refusedCount = 0
        for offset in stride(
            from: 0, to: bytes.count, by: Extent.pick(brief: 29, quick: 5, deep: 1))
        {
            let copy = disk.killed()
            var damaged = bytes
            damaged[offset] ^= 16
            copy.overwrite(path, with: damaged)
            let contents = copy.contents
            do {
                let (next, _) = try fixture.open(copy)
                #expect(try next.batches() == expected(count), "byte \(offset)")
            } catch let error as LogError {
                refusedCount += 1
                #expect(error.isDamage || error.code == .unsupportedFormat, "byte \(offset)")
                let isUnchanged = copy.contents == contents
                #expect(isUnchanged, "byte \(offset)")
                guard error.code != .unsupportedFormat else { continue }
                let scan = try fixture.scan(copy)
                let head = scan.head.sequence
                let rest = scan.readableAfterDamage.last
                let isReadable = rest?.contains(max(start, head + 1)...count) ?? false
                #expect(head == count || isReadable, "byte \(offset)")
            }
        }
        #expect(refusedCount > 50 || Extent.pick(brief: true, quick: false, deep: false))
    }
}
