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
        System.close(descriptor)
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

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func directory(_ name: String) throws(DiskError) -> PosixDirectory {
        let flags = System.directoryFlags
        let opened = try System.open(name, in: descriptor, flags, .open, "\(path)/\(name)")
        return PosixDirectory(descriptor: opened, path: "\(path)/\(name)")
    }

    func makeDirectory(_ name: String) throws(DiskError) {
        try System.makeDirectory(name, in: descriptor, "\(path)/\(name)")
    }

    func removeDirectory(_ name: String) throws(DiskError) {
        try System.removeDirectory(name, in: descriptor, "\(path)/\(name)")
    }

    func list() throws(DiskError) -> [String] {
        try System.names(in: descriptor, path).sorted()
    }

    func status(_ file: DiskPath) throws(DiskError) -> FileStatus {
        try System.checkedStatus(named: file.name, in: descriptor, "\(path)/\(file.name)")
    }

    func rename(
        _ source: DiskPath, to target: DiskPath, in directory: PosixDirectory
    ) throws(DiskError) {
        try System.rename(
            source.name, in: descriptor, to: target.name, in: directory.descriptor,
            "\(path)/\(source.name)")
    }

    func remove(_ file: DiskPath) throws(DiskError) {
        try System.remove(file.name, in: descriptor, "\(path)/\(file.name)")
    }

    func sync() throws(DiskError) {
        var code = System.syncAll(descriptor)
        if code == 0 { code = System.confirmSync(descriptor) }
        if code != 0 { throw DiskError(.syncDirectory, path, .system(code)) }
    }
}
