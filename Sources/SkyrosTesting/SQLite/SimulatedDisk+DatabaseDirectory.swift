package import SkyrosDisk

extension SimulatedDisk {
    private static let directoryName = "simulated"

    package var databaseDirectory: DatabaseDirectory? {
        guard state.withLock({ $0.hasCheckpoints }) else { return nil }
        let vfs = SimulatedFileSystem.register()
        return DatabaseDirectory(path: "/\(Self.directoryName)/\(number)", vfs: vfs)
    }

    /// Resolves a path from SQLite, `/simulated/DISK/[DIRECTORY/]NAME`; nil if no such disk exists.
    static func place(of path: String) -> (disk: SimulatedDisk, path: DiskPath)? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count == 3 || parts.count == 4, parts[0] == directoryName,
            let number = Int(parts[1]), let disk = registry.withLock({ $0[number] }),
            let directory = Directory(rawValue: parts.count == 3 ? "" : parts[2])
        else { return nil }
        return (disk, DiskPath(directory, parts[parts.count - 1]))
    }
}
