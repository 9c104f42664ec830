import Foundation
import SkyrosDisk
import SkyrosTesting

/// A simulated disk whose store has a checkpoint.
///
/// SQLite does its own input and output, so the checkpoint is in a real folder of its own; what
/// stands there is durable, as SQLite promises, and everything else is simulated.
struct CheckpointedDisk {
    /// What of the checkpoint is there after a crash; all of it is legal, as the file may be
    /// removed at any time and the log begins before it.
    enum Survivor: CaseIterable {
        case newest, earlier, none
    }

    let simulated: SimulatedDisk
    private let folder: CheckpointFolder
    private let posix: PosixDisk

    init(_ simulated: SimulatedDisk) throws {
        self.simulated = simulated
        folder = try CheckpointFolder()
        posix = try PosixDisk(path: folder.url.path, creating: true)
    }

    /// Keeps a copy of the checkpoint as it is now.
    func rememberCheckpoint() throws {
        try folder.copy("checkpoint.sqlite", to: folder, as: "earlier.sqlite")
    }

    /// The disk after a crash that left `simulated`.
    func crashed(to simulated: SimulatedDisk, keeping survivor: Survivor) throws -> Self {
        let next = try CheckpointedDisk(simulated)
        switch survivor {
        case .newest: try folder.copy("checkpoint.sqlite", to: next.folder)
        case .earlier: try folder.copy("earlier.sqlite", to: next.folder)
        case .none: break
        }
        return next
    }
}

extension CheckpointedDisk: Disk {
    var bootID: String { simulated.bootID }
    var systemPath: String? { posix.systemPath }

    func makeFolder(_ folder: Folder) throws(DiskError) { try simulated.makeFolder(folder) }

    func removeFolder(_ folder: Folder) throws(DiskError) { try simulated.removeFolder(folder) }

    func list(_ folder: Folder) throws(DiskError) -> [String] { try simulated.list(folder) }

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
        path.folder == .root && path.name.hasPrefix("checkpoint") ? posix : simulated
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
}
