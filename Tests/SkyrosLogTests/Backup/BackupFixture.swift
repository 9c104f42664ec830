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

/// A disk that runs code before a file is opened, or changes what is written.
struct MeddlingDisk: Disk {
    let disk: SimulatedDisk
    private let state = Locked(State())

    private struct State: Sendable {
        var openCount = 0
        var actions: [Int: @Sendable () -> Void] = [:]
        /// The suffix of the files in which a byte of each write is changed.
        var damagedSuffix: String?
    }

    init(_ disk: SimulatedDisk) {
        self.disk = disk
    }

    /// The number of files that were opened.
    var openCount: Int { state.withLock { $0.openCount } }

    /// Runs `body` before the opening with this number, counted from 0.
    func before(opening number: Int, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions[number] = body }
    }

    /// Changes a byte of each write of at least 100 bytes to a file whose name ends so.
    func damageWrites(to suffix: String?) {
        state.withLock { $0.damagedSuffix = suffix }
    }

    func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        let action = state.withLock { state in
            defer { state.openCount += 1 }
            return state.actions.removeValue(forKey: state.openCount)
        }
        action?()
        let file = try disk.open(path, mode)
        let isDamaged = state.withLock { path.name.hasSuffix($0.damagedSuffix ?? "/") }
        return isDamaged ? DamagingFile(file: file) : file
    }

    private struct DamagingFile: DiskFile {
        let file: any DiskFile

        func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError) {
            var copy = [UInt8](bytes)
            if copy.count >= 100 { copy[copy.count / 2] ^= 1 }
            try copy.withUnsafeBufferPointer { bytes throws(DiskError) in
                try file.write(UnsafeRawBufferPointer(bytes), at: position)
            }
        }

        func read(
            into buffer: UnsafeMutableRawBufferPointer, at position: Int
        ) throws(DiskError) -> Int {
            try file.read(into: buffer, at: position)
        }

        func status() throws(DiskError) -> FileStatus { try file.status() }
        func preallocate(to size: Int) throws(DiskError) { try file.preallocate(to: size) }
        func truncate(to size: Int) throws(DiskError) { try file.truncate(to: size) }
        func sync() throws(DiskError) { try file.sync() }
        func close() throws(DiskError) { try file.close() }
    }

    var bootID: String { disk.bootID }
    var systemPath: String? { nil }

    func makeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.makeDirectory(directory)
    }

    func removeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.removeDirectory(directory)
    }

    func list(_ directory: Directory) throws(DiskError) -> [String] { try disk.list(directory) }

    func status(of path: DiskPath) throws(DiskError) -> FileStatus? { try disk.status(of: path) }

    func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try disk.rename(source, to: target)
    }

    func remove(_ path: DiskPath) throws(DiskError) { try disk.remove(path) }

    func syncDirectory(_ directory: Directory) throws(DiskError) {
        try disk.syncDirectory(directory)
    }

    func lock() throws(DiskError) -> any DiskLock { try disk.lock() }
}
