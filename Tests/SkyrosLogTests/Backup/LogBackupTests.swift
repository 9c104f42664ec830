import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A backup of a log` {
    private let backups = BackupFixture()
    private let source = SimulatedDisk()
    private let target = SimulatedDisk()
    private var fixture: LogFixture { backups.fixture }

    private func sealedFiles(_ disk: SimulatedDisk) -> [String: [UInt8]] {
        disk.contents.filter { $0.key.hasSuffix(".zst") }
    }

    @Test func `holds every event, and the same sealed files`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 5)
        try log.sealAll()
        let report = try backups.backup(source, to: target)
        #expect(report.head == log.head)
        #expect(report.copiedFiles == 4 && report.keptFiles == 0)
        #expect(report.appendedBatches == 2 + 1)
        #expect(sealedFiles(target) == sealedFiles(source))
        #expect(try backups.opened(target) == expected(log.head.sequence))
        #expect(try fixture.open(target).1.wasClean)
        #expect(try fixture.scan(target).damages.isEmpty)
    }

    @Test func `copies only what it lacks`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 3)
        try log.sealAll()
        try backups.backup(source, to: target)
        let identities = try target.list(.events).map { name in
            try target.status(of: DiskPath(.events, name))?.identity
        }
        let again = try backups.backup(source, to: target)
        #expect(again.copiedFiles == 0 && again.keptFiles == 2 && again.appendedBatches == 0)
        try log.append(3)
        let third = try backups.backup(source, to: target)
        #expect(third.copiedFiles == 0 && third.appendedBatches == 3)
        #expect(
            identities
                == (try target.list(.events).map { name in
                    try target.status(of: DiskPath(.events, name))?.identity
                }))
        #expect(try backups.opened(target) == expected(log.head.sequence))
    }

    @Test func `replaces an open segment once it is sealed, and small ones once they are merged`()
        throws
    {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 4)
        try backups.backup(source, to: target)
        #expect(try target.list(.events).count { $0.hasSuffix(".open") } == 4)
        try log.sealAll()
        #expect(try backups.backup(source, to: target).copiedFiles == 3)
        #expect(sealedFiles(target) == sealedFiles(source))
        #expect(try target.list(.events).count == 4)
        try backups.merge(2, on: source)
        let merged = try backups.backup(source, to: target)
        #expect(merged.copiedFiles == 1 && merged.keptFiles == 1)
        #expect(try target.list(.events) == source.list(.events))
        #expect(sealedFiles(target) == sealedFiles(source))
        #expect(try backups.opened(target) == expected(log.head.sequence))
    }

    /// The copy was opened as a store, which has merged its segments in another way.
    @Test func `continues a copy whose segments have other borders`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 4)
        try log.sealAll()
        try backups.backup(source, to: target)
        try backups.merge(2, from: 1, on: target)
        try log.grow(toSegments: 6)
        try log.sealAll()
        try backups.merge(2, on: source)
        try backups.backup(source, to: target)
        #expect(try backups.opened(target) == expected(log.head.sequence))
        try backups.merge(5, on: target)
        try backups.merge(2, from: 1, on: source)
        try log.append(4)
        try backups.backup(source, to: target)
        #expect(try backups.opened(target) == expected(log.head.sequence))
    }

    @Test func `ends at the event that is asked for`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 4)
        try log.sealAll()
        let last = log.head.sequence
        for end in 0...last {
            let copy = SimulatedDisk()
            let report = try backups.backup(source, to: copy, through: end)
            #expect(report.head.sequence == end)
            #expect(try backups.opened(copy) == expected(end))
            guard end < last else { continue }
            let error = failure(as: LogError.self) {
                try backups.backup(source, to: copy, through: end == 0 ? 0 : end - 1)
            }
            #expect(error?.code == (end == 0 ? nil : .otherHistory))
            try backups.backup(source, to: copy)
            #expect(try backups.opened(copy) == expected(last))
        }
    }

    /// What the source's page cache holds may be lost in a power cut, and then the copy would be of
    /// another history.
    @Test func `holds nothing that the source can still lose (F4)`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 2)
        try log.append(5)
        try backups.backup(source, to: target)
        let copied = try #require(try backups.opened(target))
        for seed in 0..<50 {
            let crashed = source.crashed(seed: UInt64(seed))
            let left = try fixture.open(crashed).0.batches()
            #expect(left.starts(with: copied), "seed \(seed)")
        }
    }

    @Test func `of another store or another history is refused and not changed`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 3)
        let other = SimulatedDisk()
        let id = try #require(StoreID([UInt8](repeating: 9, count: 16)))
        let foreign = try FileLog.make(
            for: id, on: other, fixture.options, entropy: SeededEntropy(seed: 1),
            framing: LogFixture.framing)
        try foreign.append(3)
        try foreign.close()
        // Another history from event 4 on.
        let fork = SimulatedDisk()
        let forked = try fixture.make(on: fork)
        try forked.append(3)
        _ = try forked.append([3, 1, 1], as: 4)
        try forked.close()
        // More events than the source has.
        let ahead = SimulatedDisk()
        let longer = try fixture.make(on: ahead)
        try longer.append(Int(log.head.sequence) + 1)
        try longer.close()
        for (disk, own) in [(other, 3), (fork, 4), (ahead, log.head.sequence + 1)] {
            let before = disk.contents
            let error = failure(as: LogError.self) { try backups.backup(source, to: disk) }
            #expect(error?.code == .otherHistory)
            let message = try #require(error?.message)
            #expect(message.contains("\(own)") && message.contains("\(log.head.sequence)"))
            #expect(disk.contents == before)
        }
    }

    @Test func `takes nothing of another log that replaces its source between updates`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 3)
        try log.sealAll()
        let backup = try backups.open(source, target)
        _ = try backup.update(through: nil)
        let before = target.contents
        let other = try fixture.replace(on: source, by: LogFixture.foreignID)
        try other.grow(toSegments: 5)
        try other.sealAll()
        #expect(logCode { _ = try backup.hasNews() } == .otherHistory)
        #expect(logCode { _ = try backup.update(through: nil) } == .otherHistory)
        #expect(target.contents == before)
        try backup.close()
        #expect(try backups.opened(target) == expected(log.head.sequence))
    }

    /// A file with the same name and size, of other events.
    @Test func `keeps a file only if its chain hash agrees, too`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 3)
        try log.sealAll()
        try backups.backup(source, to: target)
        let copy = try backups.open(source, target).copy
        let sealed = try #require(try fixture.inspect(source).catalog?.sealed)
        #expect(sealed.allSatisfy { copy.has($0) })
        try backups.merge(2, on: source)
        let merged = try #require(try fixture.inspect(source).catalog?.sealed.first)
        #expect(merged.name == sealed[0].name && !copy.has(merged))
        let fork = SimulatedDisk()
        let forked = try fixture.make(on: fork)
        while forked.statistics.segmentCount == 1 {
            let number = forked.head.sequence + 1
            var batch = LogFixture.batch(number)
            if number == 2 { batch[batch.count - 1] ^= 1 }
            _ = try forked.append(batch, as: number)
        }
        try forked.sealAll()
        let twin = try #require(try fixture.inspect(fork).catalog?.sealed.first)
        #expect(twin.name == sealed[0].name && twin.lastSequence == sealed[0].lastSequence)
        #expect(!copy.has(twin))
    }

    @Test(.mayHang) func `begins anew as long as it copies something`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 41)
        try log.sealAll()
        let hooked = HookedDisk(source)
        let backup = try backups.open(hooked, target)
        // Each file is gone once, as if a merge had replaced it.
        let gone = Locked(Set<String>())
        hooked.beforeEach { [source] operation, path in
            guard operation == .open, path.hasSuffix(".zst"),
                gone.withLock({ $0.insert(path).inserted })
            else { return }
            source.inject(Fault(.open, reason: .system(System.notFound)))
        }
        #expect(try backup.update(through: nil).copiedFiles == 40)
        #expect(gone.withLock { $0.count } == 40)
        try backup.close()
        #expect(try backups.opened(target) == expected(log.head.sequence))
        // But not for ever, if it copies nothing.
        try log.grow(toSegments: 43)
        try log.sealAll()
        hooked.beforeEach { _, _ in }
        let another = try backups.open(hooked, target)
        source.inject(Fault(.open, reason: .system(System.notFound), isLasting: true))
        #expect(logCode { _ = try another.update(through: nil) } == .io)
    }

    @Test func `is verified: a file that cannot be read back gets no name`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 2)
        try log.sealAll()
        try backups.backup(source, to: target)
        let before = try #require(try backups.opened(target))
        try log.grow(toSegments: 3)
        try log.sealAll()
        let disk = HookedDisk(target)
        disk.damageWrites(to: ".tmp")
        #expect(logCode { try backups.backup(source, to: disk) } == .io)
        #expect(try backups.opened(target) == before)
    }

    @Test func `is verified: an event that cannot be read back is an error`() throws {
        let log = try fixture.make(on: source)
        try backups.backup(source, to: target)
        try log.append(3)
        let disk = HookedDisk(target)
        disk.damageWrites(to: ".open")
        #expect(logCode { try backups.backup(source, to: disk) } == .io)
    }

    @Test func `copies again what is damaged in the copy, if it is asked to read it`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 3)
        try log.sealAll()
        try backups.backup(source, to: target)
        let name = "events/00000000000000000001.zst"
        var bytes = try #require(target.contents[name])
        bytes[200] ^= 1
        target.overwrite(name, with: bytes)
        #expect(try backups.backup(source, to: target).copiedFiles == 0)
        let report = try backups.backup(source, to: target, verifiesKept: true)
        #expect(report.copiedFiles == 1 && report.keptFiles == 1)
        #expect(try backups.opened(target) == expected(log.head.sequence))
    }

    @Test func `names the damage of the source`() throws {
        let log = try fixture.make(on: source)
        try log.grow(toSegments: 3)
        try log.sealAll()
        let name = "events/00000000000000000001.zst"
        var bytes = try #require(source.contents[name])
        bytes[200] ^= 1
        source.overwrite(name, with: bytes)
        let error = failure(as: LogError.self) { try backups.backup(source, to: target) }
        #expect(error?.code == .corrupt && error?.file?.name == "00000000000000000001.zst")
    }
}
