/// The disk of the operating system, rooted at one folder.
///
/// Every path is opened relative to a folder that is already open, never through a symbolic
/// link, and only regular files with a single name that belong to this user are accepted, so
/// that nobody can lead a store astray by swapping names. New files are for the user alone.
package final class PosixDisk: Disk {
    private let root: PosixFolder
    private let opener = ProcessMark()
    /// Without symbolic links, which SQLite does not follow either.
    private let path: String
    private let identity: System.FileIdentity

    /// Opens the folder at `path`; with `creating`, makes it and its parents first.
    ///
    /// - Throws: `DiskError`, among them `.insecure` if the folder is a symbolic link.
    package init(path: String, creating: Bool) throws(DiskError) {
        // With a slash at its end the system would follow a link after all.
        var path = path
        while path.utf8.count > 1, path.unicodeScalars.last == "/" {
            path.unicodeScalars.removeLast()
        }
        if creating { try PosixFolder.makeAll(path) }
        root = try PosixFolder(path: path)
        self.path = try System.realPath(path)
        identity = try System.identity(root.descriptor, path)
    }

    package var bootID: String { System.bootID }

    package var systemPath: String? { path }

    package var databaseFolder: DatabaseFolder? { DatabaseFolder(path: path, identity: identity) }

    package func makeFolder(_ folder: Folder) throws(DiskError) {
        try requireOwn(.makeFolder)
        if folder != .root { try root.makeFolder(folder.rawValue) }
    }

    package func removeFolder(_ folder: Folder) throws(DiskError) {
        precondition(folder != .root, "A store's folder is never removed.")
        try requireOwn(.removeFolder)
        try root.removeFolder(folder.rawValue)
    }

    package func list(_ folder: Folder) throws(DiskError) -> [String] {
        do throws(DiskError) {
            return try open(folder).list()
        } catch {
            if error.isNotFound { return [] }
            throw error
        }
    }

    package func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        do throws(DiskError) {
            return try open(path.folder).status(path)
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }

    package func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        if mode != .read { try requireOwn(.open) }
        return try PosixFile(path, mode, in: open(path.folder))
    }

    package func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try requireOwn(.rename)
        try open(source.folder).rename(source, to: target, in: open(target.folder))
    }

    package func remove(_ path: DiskPath) throws(DiskError) {
        try requireOwn(.remove)
        do throws(DiskError) {
            try open(path.folder).remove(path)
        } catch {
            // With the folder the file is gone too.
            if !error.isNotFound { throw error }
        }
    }

    package func syncFolder(_ folder: Folder) throws(DiskError) {
        try requireOwn(.syncFolder)
        try open(folder).sync()
    }

    package func lock() throws(DiskError) -> any DiskLock {
        try requireOwn(.lock)
        return try PosixLock(in: root)
    }

    /// A copy of the process may read, and must not change what the other one is writing.
    private func requireOwn(_ operation: DiskError.Operation) throws(DiskError) {
        try opener.check(operation, path)
    }

    /// Subfolders are opened anew for each call: none of these calls is on a hot path, and a
    /// folder that was replaced meanwhile is noticed.
    private func open(_ folder: Folder) throws(DiskError) -> PosixFolder {
        folder == .root ? root : try root.folder(folder.rawValue)
    }
}
