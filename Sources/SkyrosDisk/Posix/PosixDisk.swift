/// The disk of the operating system, rooted at one directory.
///
/// Every path is opened relative to a directory that is already open, never through a symbolic
/// link, and only regular files with a single name that belong to this user are accepted, so
/// that nobody can lead a store astray by swapping names. New files are for the user alone.
package final class PosixDisk: Disk {
    private let root: PosixDirectory
    private let opener = ForkGuard()
    /// Without symbolic links, which SQLite does not follow either.
    private let path: String
    private let identity: System.FileIdentity

    /// Opens the directory at `path`; with `creating`, makes it and its parents first.
    ///
    /// - Throws: `DiskError`, among them `.insecure` if the directory is a symbolic link.
    package init(path: String, creating: Bool) throws(DiskError) {
        // With a slash at its end the system would follow a link after all.
        var path = path
        while path.utf8.count > 1, path.unicodeScalars.last == "/" {
            path.unicodeScalars.removeLast()
        }
        if creating { try PosixDirectory.makeAll(path) }
        root = try PosixDirectory(path: path)
        self.path = try System.realPath(path)
        identity = try System.identity(root.descriptor, path)
    }

    package var bootID: String { System.bootID }

    package var systemPath: String? { path }

    package var databaseDirectory: DatabaseDirectory? {
        DatabaseDirectory(path: path, identity: identity)
    }

    package func makeDirectory(_ directory: Directory) throws(DiskError) {
        try requireOwn(.makeDirectory)
        if directory != .root { try root.makeDirectory(directory.rawValue) }
    }

    package func removeDirectory(_ directory: Directory) throws(DiskError) {
        precondition(directory != .root, "A store's directory is never removed.")
        try requireOwn(.removeDirectory)
        try root.removeDirectory(directory.rawValue)
    }

    package func list(_ directory: Directory) throws(DiskError) -> [String] {
        do throws(DiskError) {
            return try open(directory).list()
        } catch {
            if error.isNotFound { return [] }
            throw error
        }
    }

    package func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        do throws(DiskError) {
            return try open(path.directory).status(path)
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }

    package func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        if mode != .read { try requireOwn(.open) }
        return try PosixFile(path, mode, in: open(path.directory))
    }

    package func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try requireOwn(.rename)
        try open(source.directory).rename(source, to: target, in: open(target.directory))
    }

    package func remove(_ path: DiskPath) throws(DiskError) {
        try requireOwn(.remove)
        do throws(DiskError) {
            try open(path.directory).remove(path)
        } catch {
            // With the directory the file is gone too.
            if !error.isNotFound { throw error }
        }
    }

    package func syncDirectory(_ directory: Directory) throws(DiskError) {
        try requireOwn(.syncDirectory)
        try open(directory).sync()
    }

    package func lock() throws(DiskError) -> any DiskLock {
        try requireOwn(.lock)
        return try PosixLock(in: root)
    }

    /// A copy of the process may read, and must not change what the other one is writing.
    private func requireOwn(_ operation: DiskError.Operation) throws(DiskError) {
        try opener.check(operation, path)
    }

    /// Subdirectories are opened anew for each call: none of these calls is on a hot path, and a
    /// directory that was replaced meanwhile is noticed.
    private func open(_ directory: Directory) throws(DiskError) -> PosixDirectory {
        directory == .root ? root : try root.directory(directory.rawValue)
    }
}
