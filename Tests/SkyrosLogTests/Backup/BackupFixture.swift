import SkyrosDisk
import SkyrosTesting
import TestSupport

@testable import SkyrosLog

/// A log of small segments, which is written, sealed and merged, and its backups.
struct BackupFixture {
    let fixture = LogFixture(segmentBytesMax: 900)

    /// Brings the copy on `target` up to date.
    @discardableResult
    func backup(
        _ source: any Disk, to target: any Disk, through last: UInt64? = nil,
        verifiesKept: Bool = false
    ) throws -> LogBackupReport {
        let backup = try open(source, target, through: last)
        let report = try backup.update(through: last, verifiesKept: verifiesKept)
        try backup.close()
        return report
    }

    func open(
        _ source: any Disk, _ target: any Disk, through last: UInt64? = nil
    ) throws -> LogBackup {
        try LogBackup(
            of: source, to: target, through: last, framing: LogFixture.framing,
            entropy: SeededEntropy(seed: 11))
    }

    /// Replaces `count` sealed segments, from the one with this index on, by one that holds their
    /// batches, as the writer of the log does.
    func merge(_ count: Int, from first: Int = 0, on disk: SimulatedDisk) throws {
        let sealed = try fixture.inspect(disk).catalog?.sealed ?? []
        guard first + count <= sealed.count else { return }
        let parts = sealed[first..<first + count]
        guard let start = parts.first, let end = parts.last else { return }
        var writer = try SealedSegmentWriter(start.header, fixture.options.frameBytes)
        for number in start.first...end.lastSequence {
            try LogFixture.batch(number).withUnsafeBytes {
                try writer.append($0, sequence: number)
            }
        }
        let content = try writer.finish(timeAfter: end.index.timeAfter)
        disk.overwrite(start.name.path.description, with: content)
        for part in parts.dropFirst() { disk.erase(part.name.path.description) }
    }

    /// The batches of the log on a copy of `disk`, as the next opening finds them; nil if there is
    /// no log.
    func opened(_ disk: SimulatedDisk) throws -> [[UInt8]]? {
        let copy = disk.killed()
        guard try fixture.inspect(copy).catalog != nil else { return nil }
        return try fixture.open(copy).0.batches()
    }
}

extension FileLog {
    func sealAll() throws {
        while try sealNext() {}
    }

    /// Appends until this many segments exist, and syncs.
    func grow(toSegments count: Int) throws {
        while statistics.segmentCount < count { try append(1) }
        try append(2)
        try sync(through: end)
    }
}

extension HookedDisk {
    /// Runs `body` before the opening of a file with this number, counted from 0. Returns the count
    /// of openings.
    func before(
        opening number: Int, _ body: @escaping @Sendable () -> Void
    ) -> Locked<Int> {
        let count = Locked(0)
        beforeEach { operation, _ in
            guard operation == .open else { return }
            let now = count.withLock { count in
                defer { count += 1 }
                return count
            }
            if now == number { body() }
        }
        return count
    }
}
