// Files and directories are created here, except for the store's directory and its lock file.

extension Disk {
    /// Creates the file at `path`, which replaces any other of that name, and returns it open.
    ///
    /// The content is durable on return, the name once its directory is synced. An empty file has
    /// nothing to sync.
    package func createFile(
        _ path: DiskPath, _ content: [UInt8] = []
    ) throws(DiskError) -> any DiskFile {
        let file = try open(path, .create)
        guard !content.isEmpty else { return file }
        try content.withUnsafeBufferPointer { bytes throws(DiskError) in
            try file.write(UnsafeRawBufferPointer(bytes), at: 0)
        }
        try file.sync()
        return file
    }

    /// Creates `directory`, unless it exists, so that it survives a power cut.
    ///
    /// An empty directory is created again. An earlier process may have failed to sync its name,
    /// and a sync that finds nothing to write proves nothing. A directory with files was synced
    /// before the first of them was created.
    package func makeDirectoryDurably(_ directory: Directory) throws(DiskError) {
        if try list(directory).isEmpty { try removeDirectory(directory) }
        try makeDirectory(directory)
        try syncDirectory(.root)
    }

    /// Moves the file at `path` to `quarantine/`, durably; returns its new path.
    package func setAside(_ path: DiskPath) throws(DiskError) -> DiskPath {
        let target = try freePathInQuarantine(for: path.name)
        try rename(path, to: target)
        try syncDirectory(.quarantine)
        try syncDirectory(path.directory)
        return target
    }

    /// A path in `quarantine/`, which is created, that no file has: `name`, or with a number.
    package func freePathInQuarantine(for name: String) throws(DiskError) -> DiskPath {
        try makeDirectoryDurably(.quarantine)
        let taken = Set(try list(.quarantine))
        let free =
            (0...).lazy.map { $0 == 0 ? name : "\(name).\($0)" }
            .first { !taken.contains($0) } ?? name
        return DiskPath(.quarantine, free)
    }
}
