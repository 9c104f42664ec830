import SkyrosPlatform

/// An open directory of the operating system.
final class PosixDirectory: Sendable {
    let descriptor: Int32
    let path: String

    /// Opens the directory at `path`, which may not be a symbolic link.
    init(path: String) throws(DiskError) {
        descriptor = try System.open(path, System.directoryFlags, .open, path)
        self.path = path
    }

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        System.closeFile(descriptor)
    }

    /// Creates the directory at `path` and its parents, and syncs each directory that got a name.
    static func makeAll(_ path: String) throws(DiskError) {
        try System.checkName(path, .makeDirectory, path)
        guard !path.isEmpty, path != "/", !System.isDirectory(path) else { return }
        let parent = parent(of: path)
        try makeAll(parent)
        try System.makeDirectory(path, path)
        try PosixDirectory(following: parent).sync()
    }

    /// Opens a parent of a store's directory, which may be a symbolic link.
    private convenience init(following path: String) throws(DiskError) {
        let flags = System.parentDirectoryFlags
        self.init(descriptor: try System.open(path, flags, .open, path), path: path)
    }

    /// Removes this directory, which is at `path` without symbolic links, if it is empty and still
    /// there; returns whether it did.
    func removeIfEmpty(
        _ path: String, _ identity: System.FileIdentity
    ) throws(DiskError) -> Bool {
        guard path != "/" else { return false }
        let parent = try PosixDirectory(following: Self.parent(of: path))
        guard let name = path.split(separator: "/").last.map(String.init) else { return false }
        guard System.identity(ofFileNamed: name, in: parent) == identity else { return false }
        do throws(DiskError) {
            try System.removeDirectory(name, in: parent)
        } catch {
            if error.reason == .system(System.notEmpty) { return false }
            throw error
        }
        try parent.sync()
        return true
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func directory(_ name: String) throws(DiskError) -> PosixDirectory {
        let flags = System.directoryFlags
        let path = path(of: name)
        let opened = try System.open(name, in: descriptor, flags, .open, path)
        return PosixDirectory(descriptor: opened, path: path)
    }

    /// The path of a name in the directory, for errors.
    func path(of name: String) -> String { "\(path)/\(name)" }

    func sync() throws(DiskError) {
        var code = Platform.syncAll(descriptor)
        if code == 0 { code = Platform.confirmSync(descriptor) }
        if code != 0 { throw DiskError(.syncDirectory, path, .system(code)) }
    }
}
