// The differences between systems, and the constants that other files need of the C library.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The operating system: constants and calls of the C library, whichever it is.
package enum System {
    /// The value of an environment variable; nil if it is not set. Call it once, at the start: the
    /// environment is not thread-safe.
    package static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    package static let noSpace = ENOSPC
    package static let quotaExceeded = EDQUOT
    package static let notFound = ENOENT
    package static let notPermitted = EPERM
    package static let accessDenied = EACCES
    static let invalidArgument = EINVAL
    static let readOnly = EROFS
    package static let notADirectory = ENOTDIR
    package static let inputOutput = EIO
    package static let badDescriptor = EBADF
    package static let notEmpty = ENOTEMPTY
    static let wouldBlock = EWOULDBLOCK
    static let interrupted = ErrorNumber(rawValue: EINTR)

    static let directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    static let parentDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    /// Nonblocking, because opening a named pipe would wait for its other end.
    private static let commonFlags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    static let readFlags = O_RDONLY | commonFlags
    static let readWriteFlags = O_RDWR | commonFlags
    static let newFileFlags = O_RDWR | O_CREAT | O_EXCL | commonFlags
    static let lockFileFlags = O_RDWR | O_CREAT | commonFlags

    /// The limit of the common file systems.
    static let nameBytesMax = 255

    /// The identity of this boot of the machine, or an empty string.
    static let bootID = readBootID()

    static var processID: Int32 { getpid() }

    /// Calls `body` in every forked child of this process, before `fork` returns there.
    static func inEachForkedChild(_ body: @convention(c) () -> Void) {
        pthread_atfork(nil, nil, body)
    }

    package static func message(of code: Int32) -> String {
        guard let text = strerror(code) else { return "unknown error" }
        return String(cString: text)
    }

    /// Drops the pages of a file from the system's cache that are as the medium should have them
    /// (`man 2 posix_fadvise`), or reads past the cache (`man 2 fcntl`). A system that refuses this
    /// returns bytes of its cache, which is no error.
    static func forgetCache(of descriptor: Int32) {
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_NOCACHE, 1)
        #else
            _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }

    /// Makes the contents of a file durable; returns an error number or 0.
    ///
    /// On Linux, `fdatasync` flushes the data and the size, which is all that an append needs. On
    /// Apple's systems, `fsync` leaves the data in the drive's cache and `F_FULLFSYNC` does not
    /// (`man 2 fsync`); file systems that refuse it get the weaker call. No sync is ever repeated,
    /// not even after an interruption.
    static func syncData(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
            guard errno == ENOTSUP else { return errno }
            return fsync(descriptor) == 0 ? 0 : errno
        #else
            return fdatasync(descriptor) == 0 ? 0 : errno
        #endif
    }

    /// Makes the names in a directory durable; returns an error number or 0.
    static func syncAll(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            return syncData(descriptor)
        #else
            return fsync(descriptor) == 0 ? 0 : errno
        #endif
    }

    /// Syncs again to confirm a success; returns an error number or 0.
    ///
    /// On Linux, a sync reports success right after another thread's sync has failed to commit the
    /// same journal transaction. Setting the file's times makes the file system check its journal,
    /// and the next sync reports the result. Neither writes anything if the journal is sound.
    /// Source: docs/decisions/0014-preallocate-by-writing-zeros.md.
    static func confirmSync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            return 0
        #else
            // Some file systems refuse it; the result of the sync counts.
            _ = futimens(descriptor, nil)
            return syncData(descriptor)
        #endif
    }

    /// Lets another thread run.
    package static func yieldThread() {
        sched_yield()
    }

    /// Microseconds since 1970, by the wall clock.
    static func wallClockMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    private static func readBootID() -> String {
        #if canImport(Darwin)
            var buffer = [UInt8](repeating: 0, count: 64)
            var size = buffer.count
            guard sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else {
                return ""
            }
            return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        #else
            let path = "/proc/sys/kernel/random/boot_id"
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return "" }
            defer { closeFile(descriptor) }
            return text(of: descriptor)
        #endif
    }
}

extension System {
    /// Stops the process with a message on standard error, which optimized builds print as well.
    package static func stop(_ message: String) -> Never {
        writeToStandardError("Skyros stops this process: \(message)\n")
        preconditionFailure(message)
    }
}

private func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}
