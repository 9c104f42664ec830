import Foundation
import SkyrosDisk
import SkyrosTesting

/// A simulated disk whose store has a checkpoint.
///
/// SQLite does its own input and output, so the checkpoint is in a real folder of its own; what
/// stands there is durable, as SQLite promises, and everything else is simulated.
struct CheckpointedDisk {
    let simulated: SimulatedDisk
    private let folder: CheckpointFolder
    private let posix: PosixDisk

    init(_ simulated: SimulatedDisk) throws {
        self.simulated = simulated
        folder = try CheckpointFolder()
        posix = try PosixDisk(path: folder.url.path, creating: true)
    }

    /// Keeps a copy of the checkpoint as it is now, if there is one.
    func rememberCheckpoint(as name: String) throws {
        try folder.copy("checkpoint.sqlite", to: folder, as: name)
    }

    /// The disk after a crash that left `simulated`, with the checkpoint or one of its copies, or
    /// without; all of it is legal, as the file may be removed at any time and the log begins
    /// before it.
    func crashed(to simulated: SimulatedDisk, keeping survivor: String?) throws -> Self {
        let next = try CheckpointedDisk(simulated)
        if let survivor { try folder.copy(survivor, to: next.folder) }
        return next
    }

    /// The bytes of the checkpoint, if there is one.
    var checkpoint: Data? {
        get throws { try folder.content("checkpoint.sqlite") }
    }

    /// Replaces the checkpoint, as damage from outside does.
    func overwriteCheckpoint(with bytes: Data) throws {
        try bytes.write(to: folder.url.appending(path: "checkpoint.sqlite"))
    }
}

extension CheckpointedDisk: Disk {
    var bootID: String { simulated.bootID }
    var systemPath: String? { posix.systemPath }

    /// The quarantine is in both places, as the checkpoint goes there too.
    func makeFolder(_ folder: Folder) throws(DiskError) {
        try simulated.makeFolder(folder)
        if folder == .quarantine { try posix.makeFolder(folder) }
    }

    func removeFolder(_ folder: Folder) throws(DiskError) { try simulated.removeFolder(folder) }

    func list(_ folder: Folder) throws(DiskError) -> [String] {
        let names = try simulated.list(folder)
        return folder == .quarantine ? try (names + posix.list(folder)).sorted() : names
    }

    func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        try disk(of: path).status(of: path)
    }

    func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        try disk(of: path).open(path, mode)
    }

    func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try disk(of: source).rename(source, to: target)
    }

    func remove(_ path: DiskPath) throws(DiskError) { try disk(of: path).remove(path) }

    func syncFolder(_ folder: Folder) throws(DiskError) { try simulated.syncFolder(folder) }

    func lock() throws(DiskError) -> any DiskLock { try simulated.lock() }

    private func disk(of path: DiskPath) -> any Disk {
        path.name.hasPrefix("checkpoint") ? posix : simulated
    }
}

/// The real folder, removed when nobody uses it any more.
private final class CheckpointFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "skyros-crash-\(UUID().uuidString)").resolvingSymlinksInPath()
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func copy(_ name: String, to target: CheckpointFolder, as newName: String? = nil) throws {
        let source = url.appending(path: name)
        let destination = target.url.appending(path: newName ?? "checkpoint.sqlite")
        guard FileManager.default.fileExists(atPath: source.path) else { return }
        try? FileManager.default.removeItem(at: destination)
        try FileManager.default.copyItem(at: source, to: destination)
    }

    func content(_ name: String) throws -> Data? {
        let file = url.appending(path: name)
        return FileManager.default.fileExists(atPath: file.path) ? try Data(contentsOf: file) : nil
    }
}
