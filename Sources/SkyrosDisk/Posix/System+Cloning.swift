import SkyrosPlatform

extension System {
    /// Creates the file `name` with the content of an open file, whose space on the medium both
    /// share until one is changed. Only this user may read and write it.
    ///
    /// - Returns: false if the file system cannot do that, or the two are on different ones; there
    ///   is no such file then.
    static func clone(
        _ source: Int32, to name: String, in directory: PosixDirectory
    ) throws(DiskError) -> Bool {
        guard !Platform.clonesByName else { return try cloneByName(source, name, directory) }
        let target = try create(name, in: directory)
        defer { closeFile(target) }
        if Platform.clone(source, into: target) { return true }
        try remove(name, in: directory)
        return false
    }

    private static func cloneByName(
        _ source: Int32, _ name: String, _ directory: PosixDirectory
    ) throws(DiskError) -> Bool {
        try remove(name, in: directory)
        guard Platform.clone(source, to: name, in: directory.descriptor) else { return false }
        let path = directory.path(of: name)
        let target = try open(name, in: directory.descriptor, readFlags, .open, path)
        defer { closeFile(target) }
        try keepPrivate(target, path)
        return true
    }
}
