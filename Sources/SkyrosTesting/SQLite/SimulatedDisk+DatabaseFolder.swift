package import SkyrosDisk

extension SimulatedDisk {
    private static let folderName = "simulated"

    package var databaseFolder: DatabaseFolder? {
        guard state.withLock({ $0.hasCheckpoints }) else { return nil }
        let vfs = SimulatedFileSystem.register()
        return DatabaseFolder(path: "/\(Self.folderName)/\(number)", vfs: vfs)
    }

    /// The disk and the place on it that SQLite means by a path; nil if there is no such disk.
    static func place(of path: String) -> (disk: SimulatedDisk, path: DiskPath)? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count == 3 || parts.count == 4, parts[0] == folderName,
            let number = Int(parts[1]), let disk = known.withLock({ $0[number] }),
            let folder = Folder(rawValue: parts.count == 3 ? "" : parts[2])
        else { return nil }
        return (disk, DiskPath(folder, parts[parts.count - 1]))
    }
}
