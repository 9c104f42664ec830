import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@Suite struct `A torn tail` {
    private let disk = SimulatedDisk()
    private let fixture = LogFixture()
    private let path = "events/00000000000000000001.open"

    /// A file of three batches, the last of which was not durable when the process died, and the
    /// offset of the last block.
    private func file() throws -> (bytes: [UInt8], lastBlock: Int) {
        let log = try fixture.make(on: disk)
        try log.sync(through: log.append(2))
        let start = log.statistics.fileBytes
        try log.append(1)
        let end = log.statistics.fileBytes
        return (Array((disk.contents[path] ?? []).prefix(end)), start)
    }

    @Test func `is cut at the last complete event, wherever it tore (F2)`() throws {
        let (bytes, start) = try file()
        for length in start..<bytes.count {
            let torn = disk.killed()
            torn.overwrite(path, with: Array(bytes[..<length]))
            let (log, recovery) = try fixture.open(torn)
            #expect(try log.batches() == expected(2))
            let cut = Array(bytes[start..<length]).trimmingZeros
            #expect(recovery.cutByteCount == cut.count)
            if let kept = recovery.quarantined {
                #expect(torn.contents[kept] == Array(bytes[..<96]) + cut)
            } else {
                #expect(cut.isEmpty)
            }
            try log.append(1)
            #expect(try log.batches() == expected(3))
        }
    }

    @Test func `is quarantined beside earlier ones of the same offset`() throws {
        let (bytes, start) = try file()
        let torn = disk.killed()
        var kept: [String: [UInt8]] = [:]
        for length in [30, 20, 40] {
            // As if a copy had been restored.
            torn.overwrite(path, with: Array(bytes[..<(start + length)]))
            let (log, recovery) = try fixture.open(torn)
            try log.close()
            let place = try #require(recovery.quarantined)
            kept[place] = Array(bytes[start..<(start + length)]).trimmingZeros
        }
        #expect(kept.count == 3)
        // Each in the header of its segment, which an opening writes anew.
        for (place, cut) in kept {
            #expect(torn.contents[place].map { Array($0.dropFirst(96)) } == cut)
        }
    }

    @Test func `of zeros is preallocated space (F7)`() throws {
        let (bytes, _) = try file()
        for count in [1, 7, 48, 4_096] {
            let torn = disk.killed()
            torn.overwrite(path, with: bytes + [UInt8](repeating: 0, count: count))
            let (log, recovery) = try fixture.open(torn)
            #expect(recovery.cutByteCount == 0)
            #expect(try log.batches() == expected(3))
        }
    }

    @Test func `is damage if a later block proves it durable (F24)`() throws {
        let log = try fixture.make(on: disk)
        try log.sync(through: log.append(3))
        try log.markIdle()
        let bytes = Array((disk.contents[path] ?? []).prefix(log.statistics.fileBytes))
        // The last byte of the last batch, before the padding and the idle mark of 48 bytes.
        var damaged = bytes
        damaged[bytes.count - 48 - 8] ^= 1
        try refuses(damaged)
    }

    @Test func `is damage if valid blocks follow within one boot (F5)`() throws {
        let log = try fixture.make(on: disk)
        try log.append(3)
        var bytes = Array((disk.contents[path] ?? []).prefix(log.statistics.fileBytes))
        bytes[250] ^= 1
        try refuses(bytes)
        // After a reboot, a power cut may have left it of unsynced blocks.
        let rebooted = disk.crashed(seed: 1)
        rebooted.overwrite(path, with: bytes)
        let (_, recovery) = try fixture.open(rebooted)
        #expect(recovery.cutBlockCount > 0)
    }

    @Test func `is damage if it is longer than may be unsynced`() throws {
        var fixture = fixture
        fixture.options.unsyncedBytesMax = 500
        let log = try fixture.make(on: disk)
        try log.append(1)
        let bytes = Array((disk.contents[path] ?? []).prefix(log.statistics.fileBytes))
        try refuses(bytes + [UInt8](repeating: 0xAA, count: 600))
    }

    @Test(arguments: [true, false])
    func `may be as long as the writer's options allowed`(wasClosed: Bool) throws {
        var fixture = fixture
        fixture.options.unsyncedBytesMax = 500
        let log = try fixture.make(on: disk)
        try log.append(1)
        if wasClosed { try log.close() }
        // The next writer may leave more unsynced, and is killed while it does.
        let next = disk.killed()
        fixture.options.unsyncedBytesMax = 10_000
        let (writer, _) = try fixture.open(next)
        try writer.append(1)
        let bytes = Array((next.contents[path] ?? []).prefix(writer.statistics.fileBytes))
        let killed = next.killed()
        killed.overwrite(path, with: bytes + [UInt8](repeating: 0xAA, count: 9_000))
        let (_, recovery) = try fixture.open(killed)
        #expect(recovery.cutByteCount == 9_000)
    }

    /// Expects that an opening is refused and changes nothing.
    private func refuses(_ bytes: [UInt8]) throws {
        let damaged = disk.killed()
        damaged.overwrite(path, with: bytes)
        let before = damaged.contents
        do {
            _ = try fixture.open(damaged)
            Issue.record("the damage went unnoticed")
        } catch let error as LogError {
            #expect(error.code == .corrupt)
            #expect(error.file?.name == "00000000000000000001.open")
        }
        #expect(damaged.contents == before)
    }
}

extension [UInt8] {
    fileprivate var trimmingZeros: [UInt8] {
        Array(prefix((lastIndex { $0 != 0 } ?? -1) + 1))
    }
}

@Suite(.long) struct `A damaged log` {
    private let fixture = LogFixture(segmentBytesMax: 600)
    private let disk = SimulatedDisk()
    private let count: UInt64 = 24

    init() throws {
        let log = try fixture.make(on: disk)
        try log.append(Int(count))
        while try log.sealNext() {}
        try log.close()
    }

    /// Opens the log and reads every batch; nil if one of them is refused.
    private func batches(_ damaged: SimulatedDisk) -> [[UInt8]]? {
        do {
            return try fixture.open(damaged).0.batches()
        } catch {
            return nil
        }
    }

    @Test func `never reads a wrong batch, whichever bit is flipped (F24)`() throws {
        let whole = disk.contents
        for (path, bytes) in whole.sorted(by: { $0.key < $1.key }) where path.hasPrefix("events/") {
            for bit in 0..<(bytes.count * 8) {
                var damaged = bytes
                damaged[bit / 8] ^= 1 << (bit % 8)
                let copy = disk.killed()
                copy.overwrite(path, with: damaged)
                // Reserved bytes may differ without loss. Any other change must be refused.
                if let found = batches(copy), found != expected(count) {
                    Issue.record("\(path), bit \(bit): \(found.count) batches")
                    return
                }
            }
        }
    }

    @Test func `never loses a batch silently when a segment is truncated (F28)`() throws {
        for (path, bytes) in disk.contents where path.hasPrefix("events/") {
            for length in 0..<bytes.count {
                let copy = disk.killed()
                copy.overwrite(path, with: Array(bytes[..<length]))
                guard let found = batches(copy) else { continue }
                // Only the closing block of the active segment may be missing unnoticed.
                #expect(path.hasSuffix(".open"), "\(path) cut to \(length)")
                #expect(expected(count).starts(with: found))
            }
        }
    }

    @Test func `names a missing segment (F28)`() throws {
        let names = disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        #expect(names.count > 3)
        for name in names {
            let copy = disk.killed()
            copy.erase(name)
            do {
                _ = try fixture.open(copy)
                Issue.record("\(name) is not missed")
            } catch let error as LogError {
                #expect(error.code == .segmentMissing)
                #expect(error.sequences != nil)
            }
        }
    }

    @Test func `names what is missing for every set of missing segments (F28)`() throws {
        let log = try SweepLog(sealedBytes: 1_200, openBytes: 1_500)
        let names = log.sealed + log.open
        // Without segments there is no log. After an ended, unsealed segment, only the checkpoint
        // shows that an active one is missing.
        let untold = 1 << (names.count - 1)
        for missing in 1..<(1 << names.count) - 1 where missing != untold {
            let copy = log.disk.killed()
            for (index, name) in names.enumerated() where missing & 1 << index != 0 {
                copy.erase(name)
            }
            let before = copy.contents
            let found = logCode { _ = try log.fixture.open(copy) }
            #expect(found == .segmentMissing, "without \(missing)")
            #expect(copy.contents == before)
        }
    }

    @Test func `is refused if a segment has another's name (F28)`() throws {
        let names = disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        for name in names {
            for other in names where other != name {
                let copy = disk.killed()
                copy.overwrite(other, with: copy.contents[name] ?? [])
                #expect(logCode { _ = try fixture.open(copy) } != nil, "\(name) as \(other)")
                copy.erase(name)
                #expect(logCode { _ = try fixture.open(copy) } != nil, "\(name) as \(other) alone")
            }
        }
    }

    @Test func `refuses a segment of another store or history (F28, F32)`() throws {
        var other = LogFixture(segmentBytesMax: 600)
        other.options.frameBytes = 100
        let foreign = SimulatedDisk()
        let log = try FileLog.make(
            for: StoreID(from: SeededEntropy(seed: 99)), on: foreign, other.options,
            entropy: SeededEntropy(seed: 98), framing: LogFixture.framing)
        try log.append(Int(count))
        while try log.sealNext() {}
        try log.close()
        for (path, bytes) in foreign.contents where path.hasPrefix("events/") {
            guard disk.contents[path] != nil else { continue }
            let copy = disk.killed()
            copy.overwrite(path, with: bytes)
            do {
                _ = try fixture.open(copy)
                Issue.record("\(path) was accepted")
            } catch let error as LogError {
                #expect([.foreignStore, .chainBroken].contains(error.code))
            }
        }
    }
}
