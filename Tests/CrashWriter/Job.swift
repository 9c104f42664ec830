import Foundation
import Skyros
import SkyrosDisk

/// A promise that was not kept.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// The arguments of the command line.
struct Job {
    enum Role: String {
        case write, complete, run, fork, suspend, terminate, verify
    }

    let role: Role
    let store: URL
    let acknowledgements: URL
    let durability: Durability
    private(set) var eventCount = 40
    private(set) var threadCount = 1
    private(set) var syncInterval: Duration = .milliseconds(5)
    /// The event whose write block traps.
    private(set) var trapNumber: UInt64?
    /// The boot id that the store sees; nil for the system's.
    private(set) var boot: String?
    /// The size of the store's segments; nil for a small one.
    private(set) var segmentBytes: Int?

    /// Returns nil if the arguments are wrong.
    init?(_ arguments: some Collection<String>) {
        let words = Array(arguments)
        let levels = ["deferred": Durability.deferred, "buffered": .buffered, "durable": .durable]
        guard words.count >= 4, words.count.isMultiple(of: 2), let role = Role(rawValue: words[0]),
            let durability = levels[words[3]]
        else { return nil }
        self.role = role
        store = URL(filePath: words[1])
        acknowledgements = URL(filePath: words[2])
        self.durability = durability
        for index in stride(from: 4, to: words.count, by: 2) {
            let value = words[index + 1]
            switch (words[index], Int(value)) {
            case ("--events", let count?): eventCount = count
            case ("--threads", let count?): threadCount = max(1, count)
            case ("--interval", let time?): syncInterval = .milliseconds(time)
            case ("--trap", let number?): trapNumber = UInt64(number)
            case ("--boot", _): boot = value
            case ("--segment", let size?): segmentBytes = size
            default: return nil
            }
        }
    }

    /// An environment with the system's disk and the given boot id.
    private func environment(creating: Bool, boot: String) throws -> Environment {
        let path = store.path(percentEncoded: false)
        let disk = try PosixDisk(path: path, creating: creating)
        return Environment(disk: RebootedDisk(disk, bootID: boot))
    }

    /// Opens the store for reading.
    func archive() throws -> Archive {
        guard let boot else { return try Archive(at: store) }
        return try Archive(on: environment(creating: false, boot: boot))
    }

    /// Opens the store with small segments and early checkpoints, so that a short run also seals
    /// segments and writes checkpoints.
    func opened(onError: @escaping @Sendable (any Error) -> Void) throws -> Store {
        var options = Store.Options()
        // Its system calls would come at other moments in each run.
        options.scrubInterval = nil
        options.durability = durability
        options.segmentBytesMax = 32 << 10
        options.openingTarget = .milliseconds(1)
        options.syncInterval = syncInterval
        options.onError = onError
        if role == .run || role == .fork || role == .suspend {
            // Even smaller: these runs write few events.
            options.segmentBytesMax = 4 << 10
            options.openingTarget = .milliseconds(0)
        }
        options.segmentBytesMax = segmentBytes ?? options.segmentBytesMax
        guard let boot else {
            return try Store(at: store, entities: Account.self, options: options)
        }
        let environment = try environment(creating: true, boot: boot)
        return try Store(Schema([Account.self]), options, environment)
    }
}

/// The system's disk with another boot id. A test that cuts the power of one loop device needs it,
/// because the machine itself does not reboot.
private final class RebootedDisk: Disk {
    private let disk: PosixDisk
    let bootID: String

    init(_ disk: PosixDisk, bootID: String) {
        self.disk = disk
        self.bootID = bootID
    }

    var directoryID: UInt64? { disk.directoryID }

    var systemPath: String? { disk.systemPath }

    var databaseDirectory: DatabaseDirectory? { disk.databaseDirectory }

    func makeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.makeDirectory(directory)
    }

    func removeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.removeDirectory(directory)
    }

    func list(_ directory: Directory) throws(DiskError) -> [String] { try disk.list(directory) }

    func status(of path: DiskPath) throws(DiskError) -> FileStatus? { try disk.status(of: path) }

    func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        try disk.open(path, mode)
    }

    func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try disk.rename(source, to: target)
    }

    func remove(_ path: DiskPath) throws(DiskError) { try disk.remove(path) }

    func syncDirectory(_ directory: Directory) throws(DiskError) {
        try disk.syncDirectory(directory)
    }

    func lock() throws(DiskError) -> any DiskLock { try disk.lock() }
}
