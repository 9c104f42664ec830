#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// One thin function a call, so that error numbers are read at once, before anything else can
// change them.
extension System {
    /// A system's error number as an error of its own.
    struct ErrorNumber: Error, Equatable {
        let rawValue: Int32

        static func ~= (pattern: ErrorNumber, value: ErrorNumber) -> Bool {
            pattern == value
        }
    }

    struct FileIdentity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    // MARK: Files

    static func open(
        _ path: String, in folder: Int32 = AT_FDCWD, _ flags: Int32,
        _ operation: DiskError.Operation, _ shown: String
    ) throws(DiskError) -> Int32 {
        guard isPlain(path, in: folder) else {
            throw DiskError(operation, shown, .insecure("the name is not a plain file name"))
        }
        while true {
            let descriptor = openat(folder, path, flags, 0o600)
            if descriptor >= 0 { return descriptor }
            let code = errno
            if code == EINTR { continue }
            if code == ELOOP || (code == ENOTDIR && isLink(path, in: folder)) {
                throw DiskError(operation, shown, .insecure("it is a symbolic link"))
            }
            throw DiskError(operation, shown, .system(code))
        }
    }

    static func read(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ position: Int
    ) -> Result<Int, ErrorNumber> {
        result(pread(descriptor, buffer.baseAddress, buffer.count, off_t(position)))
    }

    static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ position: Int
    ) -> Result<Int, ErrorNumber> {
        result(pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(position)))
    }

    static func truncate(_ descriptor: Int32, to size: Int) -> Int32 {
        ftruncate(descriptor, off_t(size)) == 0 ? 0 : errno
    }

    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            return Darwin.close(descriptor) == 0 ? 0 : errno
        #elseif canImport(Musl)
            return Musl.close(descriptor) == 0 ? 0 : errno
        #else
            return Glibc.close(descriptor) == 0 ? 0 : errno
        #endif
    }

    // MARK: Names

    static func makeFolder(_ path: String, in folder: Int32 = AT_FDCWD) -> Int32 {
        mkdirat(folder, path, 0o700) == 0 ? 0 : errno
    }

    static func rename(
        _ source: String, _ sourceFolder: Int32, _ target: String, _ targetFolder: Int32
    ) -> Int32 {
        renameat(sourceFolder, source, targetFolder, target) == 0 ? 0 : errno
    }

    static func remove(_ name: String, in folder: Int32) -> Int32 {
        unlinkat(folder, name, 0) == 0 ? 0 : errno
    }

    static func names(in folder: Int32, _ path: String) throws(DiskError) -> [String] {
        // A second description of the folder, as `closedir` closes the one it is given.
        let descriptor = try open(".", in: folder, folderFlags, .list, path)
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            throw DiskError(.list, path, .system(code))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        let code = errno
        if code != 0 { throw DiskError(.list, path, .system(code)) }
        return names
    }

    /// The path with all symbolic links resolved.
    static func realPath(_ path: String) throws(DiskError) -> String {
        guard let resolved = realpath(path, nil) else {
            throw DiskError(.status, path, .system(errno))
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func isFolder(_ path: String) -> Bool {
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
        named name: String, in folder: Int32, _ path: String
    ) throws(DiskError) -> FileStatus {
        var status = stat()
        if fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 {
            throw DiskError(.status, path, .system(errno))
        }
        return try checked(status, path)
    }

    static func identity(_ descriptor: Int32, _ path: String) throws(DiskError) -> FileIdentity {
        var status = stat()
        if fstat(descriptor, &status) != 0 { throw DiskError(.status, path, .system(errno)) }
        return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    private static func checked(
        _ status: stat, _ path: String
    ) throws(DiskError) -> FileStatus {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw DiskError(.status, path, .insecure("it is not a regular file"))
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

    static func text(of descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let text = buffer.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text only helps a message along, so a failure to write it is no failure.
    static func replaceText(of descriptor: Int32, by text: String) {
        guard ftruncate(descriptor, 0) == 0 else { return }
        let bytes = Array(text.utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }

    // MARK: Helpers

    /// Names below an open folder are single components, without tricks.
    private static func isPlain(_ name: String, in folder: Int32) -> Bool {
        if name.utf8.contains(0) { return false }
        return folder == AT_FDCWD || (!name.isEmpty && !name.contains("/") && name != "..")
    }

    private static func isLink(_ name: String, in folder: Int32) -> Bool {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
            && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func result(_ count: Int) -> Result<Int, ErrorNumber> {
        count >= 0 ? .success(count) : .failure(ErrorNumber(rawValue: errno))
    }
}
