import SkyrosPlatform

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
    static let bootID = Platform.bootID()

    static var processID: Int32 { getpid() }

    /// Calls `body` in every forked child of this process, before `fork` returns there.
    static func inEachForkedChild(_ body: @convention(c) () -> Void) {
        pthread_atfork(nil, nil, body)
    }

    package static func message(of code: Int32) -> String {
        // Not every C library says that it never returns NULL.
        let text: UnsafeMutablePointer<CChar>? = strerror(code)
        guard let text else { return "unknown error" }
        return String(cString: text)
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
