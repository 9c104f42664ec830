/// An open folder of the operating system.
final class PosixFolder: Sendable {
    let descriptor: Int32
    let path: String

    /// Opens the folder at `path`, which may not be a symbolic link.
    init(path: String) throws(DiskError) {
        descriptor = try System.open(path, System.folderFlags, .open, path)
        self.path = path
    }

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        System.close(descriptor)
    }

    /// Makes the folder at `path` and all that lead to it, and syncs each folder that gained
    /// a name.
    static func makeAll(_ path: String) throws(DiskError) {
        try System.checkName(path, .makeFolder, path)
        guard !path.isEmpty, path != "/", !System.isFolder(path) else { return }
        let parent = parent(of: path)
        try makeAll(parent)
        try System.makeFolder(path, path)
        try PosixFolder(following: parent).sync()
    }

    /// Opens a folder that leads to a store; there a symbolic link is nobody's harm.
    private convenience init(following path: String) throws(DiskError) {
        let flags = System.parentFolderFlags
        self.init(descriptor: try System.open(path, flags, .open, path), path: path)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func folder(_ name: String) throws(DiskError) -> PosixFolder {
        let flags = System.folderFlags
        let opened = try System.open(name, in: descriptor, flags, .open, "\(path)/\(name)")
        return PosixFolder(descriptor: opened, path: "\(path)/\(name)")
    }

    func makeFolder(_ name: String) throws(DiskError) {
        try System.makeFolder(name, in: descriptor, "\(path)/\(name)")
    }

    func removeFolder(_ name: String) throws(DiskError) {
        try System.removeFolder(name, in: descriptor, "\(path)/\(name)")
    }

    func list() throws(DiskError) -> [String] {
        try System.names(in: descriptor, path).sorted()
    }

    func status(_ file: DiskPath) throws(DiskError) -> FileStatus {
        try System.checkedStatus(named: file.name, in: descriptor, "\(path)/\(file.name)")
    }

    func rename(
        _ source: DiskPath, to target: DiskPath, in folder: PosixFolder
    ) throws(DiskError) {
        try System.rename(
            source.name, in: descriptor, to: target.name, in: folder.descriptor,
            "\(path)/\(source.name)")
    }

    func remove(_ file: DiskPath) throws(DiskError) {
        try System.remove(file.name, in: descriptor, "\(path)/\(file.name)")
    }

    func sync() throws(DiskError) {
        var code = System.syncAll(descriptor)
        if code == 0 { code = System.confirmSync(descriptor) }
        if code != 0 { throw DiskError(.syncFolder, path, .system(code)) }
    }
}
