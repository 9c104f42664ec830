// With System+Calls.swift the only place that imports the C library and knows which it is.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What differs between systems, and the numbers that other files should not import the C
/// library for.
package enum System {
    /// The value of an environment variable; nil if it is not set. To be asked once, at the start:
    /// the environment is not thread-safe.
    package static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    package static let noSpace = ENOSPC
    package static let quotaExceeded = EDQUOT
    package static let notFound = ENOENT
    package static let inputOutput = EIO
    package static let badDescriptor = EBADF
    package static let notEmpty = ENOTEMPTY
    static let wouldBlock = EWOULDBLOCK
    static let interrupted = ErrorNumber(rawValue: EINTR)

    static let directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    static let parentDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    /// Not blocking, because a pipe under a file's name would wait for its other end.
    private static let commonFlags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    static let readFlags = O_RDONLY | commonFlags
    static let readWriteFlags = O_RDWR | commonFlags
    static let newFileFlags = O_RDWR | O_CREAT | O_EXCL | commonFlags
    static let lockFileFlags = O_RDWR | O_CREAT | commonFlags

    /// What the file systems in use take at most.
    static let nameBytesMax = 255

    /// The identity of this boot of the machine, or an empty string.
    static let bootID = readBootID()

    static var processID: Int32 { getpid() }

    /// Has `body` called in each process that `fork` makes of this one, before anything else there.
    static func inEachCopyOfTheProcess(_ body: @convention(c) () -> Void) {
        pthread_atfork(nil, nil, body)
    }

    package static func message(of code: Int32) -> String {
        guard let text = strerror(code) else { return "unknown error" }
        return String(cString: text)
    }

    /// Makes the contents of a file survive a power cut; returns an error number or 0.
    ///
    /// On Linux `fdatasync` flushes the data and the size, which is all that an append needs.
    /// On Apple's systems `fsync` leaves the data in the drive's cache; `F_FULLFSYNC` does not
    /// (see `man 2 fsync` there), and file systems that refuse it get the weaker call. The call
    /// is never repeated, not even when it was interrupted.
    static func syncData(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
            guard errno == ENOTSUP else { return errno }
            return fsync(descriptor) == 0 ? 0 : errno
        #else
            return fdatasync(descriptor) == 0 ? 0 : errno
        #endif
    }

    /// Makes a directory's names survive a power cut; returns an error number or 0.
    static func syncAll(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            return syncData(descriptor)
        #else
            return fsync(descriptor) == 0 ? 0 : errno
        #endif
    }

    /// Syncs a second time after a success, which may have been none; returns an error number or 0.
    ///
    /// On Linux a sync answers with success if another thread's has just failed to commit what both
    /// were to secure, until the file system has looked at its journal again. A change of the times
    /// makes it look, and the sync says what it saw; neither writes anything if all is well.
    /// Source: docs/decisions/0014-room-is-written.md.
    static func confirmSync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            return 0
        #else
            // Not every file system lets itself be asked so; the sync has the last word.
            _ = futimens(descriptor, nil)
            return syncData(descriptor)
        #endif
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
            defer { close(descriptor) }
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
