/// The disk of the operating system, rooted at one directory.
///
/// A path is opened relative to an open directory, never through a symbolic link. Only regular
/// files of this user with a single name are accepted, so that swapped names cannot redirect a
/// store. Only the user may read or write a new file.
package final class PosixDisk: Disk {
    private let root: PosixDirectory
    private let opener = ForkGuard()
    /// Has no symbolic links: SQLite does not follow them either.
    private let path: String
    private let identity: System.FileIdentity
    /// Passes every change of a file or a name.
    private let gate = ChangeGate()

    /// Opens the directory at `path`; with `creating`, creates it and its parents first.
    ///
    /// - Throws: `DiskError`, among them `.insecure` if the directory is a symbolic link.
    package init(path: String, creating: Bool) throws(DiskError) {
        // The system follows a link if a slash comes after it.
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

    /// The inode. Device numbers are not the same after each reboot.
    package var directoryID: UInt64? { identity.inode }

    package var systemPath: String? { path }

    package var databaseDirectory: DatabaseDirectory? {
        DatabaseDirectory(path: path, identity: identity, gate: gate)
    }

    package func makeDirectory(_ directory: Directory) throws(DiskError) {
        try requireOwner(.makeDirectory)
        guard directory != .root else { return }
        let name = directory.rawValue
        try change(.makeDirectory, name) { () throws(DiskError) in
            try System.makeDirectory(name, in: root.descriptor, root.path(of: name))
        }
    }

    package func removeDirectory(_ directory: Directory) throws(DiskError) {
        precondition(directory != .root, "A store's directory is never removed.")
        try requireOwner(.removeDirectory)
        try change(.removeDirectory, directory.rawValue) { () throws(DiskError) in
            try System.removeDirectory(directory.rawValue, in: root)
        }
    }

    /// Removes the directory by its name in its parent, if that still leads to it: a directory that
    /// was moved, or replaced, is left.
    package func removeRoot() throws(DiskError) -> Bool {
        try requireOwner(.removeDirectory)
        return try change(.removeDirectory, path) { () throws(DiskError) in
            try root.removeIfEmpty(path, identity)
        }
    }

    package func list(_ directory: Directory) throws(DiskError) -> [String] {
        do throws(DiskError) {
            return try System.names(in: open(directory)).sorted()
        } catch {
            if error.isNotFound { return [] }
            throw error
        }
    }

    package func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        do throws(DiskError) {
            return try System.checkedStatus(named: path.name, in: open(path.directory))
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }

    package func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        if mode != .read { try requireOwner(.open) }
        guard mode == .create else {
            return try PosixFile(path, mode, in: open(path.directory), gate)
        }
        return try change(.open, path.description) { () throws(DiskError) in
            try PosixFile(path, mode, in: open(path.directory), gate)
        }
    }

    package func clone(
        _ source: any DiskFile, to path: DiskPath
    ) throws(DiskError) -> (any DiskFile)? {
        try requireOwner(.open)
        guard let source = source as? PosixFile else { return nil }
        return try change(.open, path.description) { () throws(DiskError) in
            let directory = try open(path.directory)
            guard try System.clone(source.descriptor, to: path.name, in: directory) else {
                return nil
            }
            return try PosixFile(path, .readWrite, in: directory, gate)
        }
    }

    package func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try requireOwner(.rename)
        try change(.rename, source.description) { () throws(DiskError) in
            try System.rename(
                source.name, in: open(source.directory), to: target.name,
                in: open(target.directory))
        }
    }

    package func remove(_ path: DiskPath) throws(DiskError) {
        try requireOwner(.remove)
        do throws(DiskError) {
            try change(.remove, path.description) { () throws(DiskError) in
                try System.remove(path.name, in: open(path.directory))
            }
        } catch {
            // Without the directory there is no file either.
            if !error.isNotFound { throw error }
        }
    }

    package func syncDirectory(_ directory: Directory) throws(DiskError) {
        try requireOwner(.syncDirectory)
        // Not under the gate, which must not wait for it.
        if gate.isClosed { throw DiskError(.syncDirectory, directory.rawValue, .suspended) }
        do throws(DiskError) {
            try open(directory).sync()
        } catch {
            // The names are not durable either if the directory cannot be opened.
            throw DiskError(.syncDirectory, error.path, error.reason)
        }
    }

    package func lock() throws(DiskError) -> any DiskLock {
        try requireOwner(.lock)
        return try PosixLock(in: root)
    }

    package func suspend() {
        gate.close()
    }

    package func resume() {
        gate.open()
    }

    /// Runs `body`, which changes something, unless the disk is suspended.
    private func change<R>(
        _ operation: DiskError.Operation, _ path: String, _ body: () throws(DiskError) -> R
    ) throws(DiskError) -> R {
        guard let result = try gate.pass(body) else {
            throw DiskError(operation, path, .suspended)
        }
        return result
    }

    /// A forked child may read, but not change what its parent is writing.
    private func requireOwner(_ operation: DiskError.Operation) throws(DiskError) {
        try opener.check(operation, path)
    }

    /// Opens a subdirectory for each call, so that a replaced one is noticed. None of the calls is
    /// on a hot path.
    private func open(_ directory: Directory) throws(DiskError) -> PosixDirectory {
        directory == .root ? root : try root.directory(directory.rawValue)
    }
}
