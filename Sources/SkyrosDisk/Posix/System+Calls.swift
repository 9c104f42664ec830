import SkyrosPlatform

// One thin function for each call, which reads `errno` before another call can change it.
extension System {
    /// An error number of the system, as an error.
    struct ErrorNumber: Error, Equatable {
        let rawValue: Int32

        static func ~= (pattern: ErrorNumber, value: ErrorNumber) -> Bool {
            pattern == value
        }
    }

    struct FileIdentity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) {
            // Device numbers are signed on some systems.
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(status.st_ino)
        }

        init(device: UInt64, inode: UInt64) {
            (self.device, self.inode) = (device, inode)
        }
    }

    // MARK: Files

    static func open(
        _ path: String, in directory: Int32 = AT_FDCWD, _ flags: Int32,
        _ operation: DiskError.Operation, _ shown: String
    ) throws(DiskError) -> Int32 {
        try checkName(path, in: directory, operation, shown)
        return try openUnchecked(path, in: directory, flags, operation, shown)
    }

    /// Creates and opens a file that only this user may read and write, whatever the umask.
    ///
    /// A file of that name is unlinked, not truncated: a process that has it open keeps its bytes,
    /// and a hard link to a foreign file stays as it is.
    static func create(
        _ name: String, in directory: PosixDirectory
    ) throws(DiskError) -> Int32 {
        let path = directory.path(of: name)
        let descriptor: Int32
        do throws(DiskError) {
            descriptor = try open(name, in: directory.descriptor, newFileFlags, .open, path)
        } catch {
            guard error.reason == .system(EEXIST) else { throw error }
            _ = try checkedStatus(named: name, in: directory)
            try remove(name, in: directory)
            descriptor = try open(name, in: directory.descriptor, newFileFlags, .open, path)
        }
        do throws(DiskError) {
            try keepPrivate(descriptor, path)
        } catch {
            closeFile(descriptor)
            throw error
        }
        return descriptor
    }

    /// Lets only this user read and write an open file.
    static func keepPrivate(_ descriptor: Int32, _ shown: String) throws(DiskError) {
        if fchmod(descriptor, 0o600) != 0 { throw DiskError(.open, shown, .system(errno)) }
    }

    private static func openUnchecked(
        _ path: String, in directory: Int32, _ flags: Int32, _ operation: DiskError.Operation,
        _ shown: String
    ) throws(DiskError) -> Int32 {
        while true {
            let descriptor = openat(directory, path, flags, 0o600)
            if descriptor >= 0 { return descriptor }
            let code = errno
            if code == EINTR { continue }
            if code == ELOOP || (code == ENOTDIR && isLink(path, in: directory)) {
                throw DiskError(operation, shown, .insecure("it is a symbolic link"))
            }
            throw DiskError(operation, shown, .system(code))
        }
    }

    /// Opens a file for reading and closes it, if it can be opened.
    static func openAndClose(_ path: String) {
        let descriptor = openat(AT_FDCWD, path, readFlags)
        if descriptor >= 0 { closeFile(descriptor) }
    }

    static func read(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ position: Int
    ) -> Result<Int, ErrorNumber> {
        guard let address = buffer.baseAddress else { return .success(0) }
        return result(pread(descriptor, address, buffer.count, off_t(position)))
    }

    static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ position: Int
    ) -> Result<Int, ErrorNumber> {
        guard let address = bytes.baseAddress else { return .success(0) }
        return result(pwrite(descriptor, address, bytes.count, off_t(position)))
    }

    static func truncate(_ descriptor: Int32, to size: Int) -> Int32 {
        uninterrupted { ftruncate(descriptor, off_t(size)) == 0 ? 0 : errno }
    }

    @discardableResult
    static func closeFile(_ descriptor: Int32) -> Int32 {
        close(descriptor) == 0 ? 0 : errno
    }

    // MARK: Names

    /// Creates a directory for this user only, whatever the umask, unless it exists.
    static func makeDirectory(
        _ path: String, in directory: Int32 = AT_FDCWD, _ shown: String
    ) throws(DiskError) {
        try checkName(path, in: directory, .makeDirectory, shown)
        if mkdirat(directory, path, 0o700) == 0, fchmodat(directory, path, 0o700, 0) == 0 { return }
        let code = errno
        if code != EEXIST { throw DiskError(.makeDirectory, shown, .system(code)) }
    }

    static func rename(
        _ source: String, in sourceDirectory: PosixDirectory, to target: String,
        in targetDirectory: PosixDirectory
    ) throws(DiskError) {
        let path = sourceDirectory.path(of: source)
        let (from, to) = (sourceDirectory.descriptor, targetDirectory.descriptor)
        try checkName(source, in: from, .rename, path)
        try checkName(target, in: to, .rename, path)
        if renameat(from, source, to, target) != 0 {
            throw DiskError(.rename, path, .system(errno))
        }
    }

    /// Removes a file; does nothing if there is none.
    static func remove(_ name: String, in directory: PosixDirectory) throws(DiskError) {
        try unlink(name, in: directory, 0, .remove)
    }

    /// Removes an empty directory; does nothing if there is none.
    static func removeDirectory(_ name: String, in directory: PosixDirectory) throws(DiskError) {
        try unlink(name, in: directory, AT_REMOVEDIR, .removeDirectory)
    }

    private static func unlink(
        _ name: String, in directory: PosixDirectory, _ flags: Int32,
        _ operation: DiskError.Operation
    ) throws(DiskError) {
        try checkName(name, in: directory.descriptor, operation, directory.path(of: name))
        if unlinkat(directory.descriptor, name, flags) == 0 { return }
        let code = errno
        if code != ENOENT { throw DiskError(operation, directory.path(of: name), .system(code)) }
    }

    static func names(in directory: PosixDirectory) throws(DiskError) -> [String] {
        let path = directory.path
        // Opened a second time, because `closedir` closes the descriptor that it gets.
        let descriptor = try openUnchecked(
            ".", in: directory.descriptor, directoryFlags, .list, path)
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            closeFile(descriptor)
            throw DiskError(.list, path, .system(code))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: capacity) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        let code = errno
        if code != 0 { throw DiskError(.list, path, .system(code)) }
        return names
    }

    /// The path with all symbolic links resolved.
    package static func realPath(_ path: String) throws(DiskError) -> String {
        guard let resolved = realpath(path, nil) else {
            throw DiskError(.status, path, .system(errno))
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    // MARK: Status

    static func checkedStatus(
        _ descriptor: Int32, _ path: String
    ) throws(DiskError) -> FileStatus {
        var status = stat()
        if fstat(descriptor, &status) != 0 { throw DiskError(.status, path, .system(errno)) }
        return try checked(status, path)
    }

    static func checkedStatus(
        named name: String, in directory: PosixDirectory
    ) throws(DiskError) -> FileStatus {
        let path = directory.path(of: name)
        try checkName(name, in: directory.descriptor, .status, path)
        var status = stat()
        if fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 {
            throw DiskError(.status, path, .system(errno))
        }
        return try checked(status, path)
    }

    static func identity(_ descriptor: Int32, _ path: String) throws(DiskError) -> FileIdentity {
        var status = stat()
        if fstat(descriptor, &status) != 0 { throw DiskError(.status, path, .system(errno)) }
        return FileIdentity(status)
    }

    /// The identity of what is at a path; nil if there is nothing, or it cannot be read.
    static func identity(ofDirectoryAt path: String) -> FileIdentity? {
        var status = stat()
        return lstat(path, &status) == 0 ? FileIdentity(status) : nil
    }

    /// The identity of what has this name; nil if nothing has, or it cannot be read.
    static func identity(
        ofFileNamed name: String, in directory: PosixDirectory
    ) -> FileIdentity? {
        Platform.identity(ofFileNamed: name, in: directory.descriptor).map {
            FileIdentity(device: $0.device, inode: $0.inode)
        }
    }

    private static func checked(
        _ status: stat, _ path: String
    ) throws(DiskError) -> FileStatus {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw DiskError(.status, path, .notAFile)
        }
        guard status.st_nlink <= 1 else {
            throw DiskError(.status, path, .insecure("it has more than one name (a hard link)"))
        }
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            throw DiskError(.status, path, .insecure("it belongs to another user"))
        }
        return FileStatus(sizeBytes: Int(status.st_size), identity: UInt64(status.st_ino))
    }

    // MARK: Lock

    static func tryLock(_ descriptor: Int32) -> Int32 {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// Releases the lock for every copy of the descriptor: a child process has one between `fork`
    /// and `exec`.
    static func unlock(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
    }

    static func text(of descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let text = buffer.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes the text that errors show. A failure is ignored: nothing depends on the text.
    static func replaceText(of descriptor: Int32, by text: String) {
        guard ftruncate(descriptor, 0) == 0 else { return }
        let bytes = Array(text.utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }

    // MARK: Helpers

    /// Refuses an invalid path; below an open directory, everything but a plain name.
    static func checkName(
        _ name: String, in directory: Int32 = AT_FDCWD, _ operation: DiskError.Operation,
        _ shown: String
    ) throws(DiskError) {
        let isPath = !name.utf8.contains(0)
        let isName = !["", ".", ".."].contains(name) && !name.utf8.contains(UInt8(ascii: "/"))
        guard isPath, directory == AT_FDCWD || (isName && name.utf8.count <= nameBytesMax) else {
            throw DiskError(operation, shown, .insecure("the name is not a plain file name"))
        }
    }

    /// Repeats a call that returns an error number or 0 while signals interrupt it.
    static func uninterrupted(_ call: () -> Int32) -> Int32 {
        while true {
            let code = call()
            if code != EINTR { return code }
        }
    }

    private static func isLink(_ name: String, in directory: Int32) -> Bool {
        var status = stat()
        return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0
            && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func result(_ count: Int) -> Result<Int, ErrorNumber> {
        count >= 0 ? .success(count) : .failure(ErrorNumber(rawValue: errno))
    }
}
