import CLinux

// The C library of the system, whose module has another name on each. Files that import this
// module need no condition for it.
#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Android)
    @_exported public import Android
#else
    @_exported public import Glibc
#endif

/// What differs between the systems, as thin functions.
///
/// Headers of Apple's systems: `<sys/fcntl.h>`, `<sys/clonefile.h>`, `<sys/signal.h>`,
/// `<sys/sysctl.h>`, `<pthread/pthread.h>`. Of Android: `<signal.h>`, `<pthread.h>`,
/// `<sys/stat.h>`. Of musl: `<signal.h>`, `<pthread.h>`, `<sys/sysmacros.h>`.
package enum Platform {
    // MARK: Durability

    /// Makes the contents of a file durable; returns an error number or 0.
    ///
    /// On Linux, `fdatasync` flushes the data and the size, which is all that an append needs. On
    /// Apple's systems, `fsync` leaves the data in the drive's cache and `F_FULLFSYNC` does not
    /// (`man 2 fsync`); file systems that do not know it get the weaker call. No sync is ever
    /// repeated, not even after an interruption.
    package static func syncData(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
            let code = errno
            // For the kernel, too, these mean that a file system does not know such a command.
            guard [ENOTTY, ENOTSUP, EINVAL].contains(code) else { return code }
            return fsync(descriptor) == 0 ? 0 : errno
        #else
            return fdatasync(descriptor) == 0 ? 0 : errno
        #endif
    }

    /// Makes the names in a directory durable; returns an error number or 0.
    package static func syncAll(_ descriptor: Int32) -> Int32 {
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
    package static func confirmSync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            return 0
        #else
            // Some file systems refuse it; the result of the sync counts.
            _ = futimens(descriptor, nil)
            return syncData(descriptor)
        #endif
    }

    // MARK: Files

    /// Drops the pages of a file from the system's cache that are as the medium should have them
    /// (`man 2 posix_fadvise`), or reads past the cache (`man 2 fcntl`). A system that refuses this
    /// returns bytes of its cache, which is no error.
    package static func forgetCache(of descriptor: Int32) {
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_NOCACHE, 1)
        #else
            _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }

    /// Whether the system creates the file that shares the space of another; elsewhere it fills an
    /// open one.
    package static var clonesByName: Bool {
        #if canImport(Darwin)
            true
        #else
            false
        #endif
    }

    /// Creates a file with the content and the mode of an open one, whose space on the medium both
    /// share, and this user as its owner; returns whether the system can.
    package static func clone(_ source: Int32, to name: String, in directory: Int32) -> Bool {
        #if canImport(Darwin)
            fclonefileat(source, directory, name, UInt32(CLONE_NOOWNERCOPY)) == 0
        #else
            false
        #endif
    }

    /// Gives an empty file the content of another one, whose space on the medium both share;
    /// returns whether the system can.
    package static func clone(_ source: Int32, into target: Int32) -> Bool {
        #if canImport(Darwin)
            return false
        #else
            // `FICLONE`, which the header defines as an expression. Source: `man 2 ioctl_ficlone`.
            let request: UInt = 0x4004_9409
            return ioctl(target, request, source) == 0
        #endif
    }

    /// The device and the inode of what has this name; nil if nothing has, or it cannot be read.
    ///
    /// On Linux it does not ask for the file's times, which would make the next sync slower.
    /// Android before version 11 ends an app that makes that call.
    package static func identity(
        ofFileNamed name: String, in directory: Int32
    ) -> (device: UInt64, inode: UInt64)? {
        #if os(Linux)
            var identity = clinux_identity()
            if clinux_identity(directory, name, &identity) == 0 {
                return (identity.device, identity.inode)
            }
            // A sandbox may forbid a call that it does not know.
            guard errno == ENOSYS || errno == EPERM else { return nil }
        #endif
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        // Device numbers are signed on some systems.
        return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }

    /// The identity of this boot of the machine, or an empty string.
    package static func bootID() -> String {
        var buffer = [UInt8](repeating: 0, count: 64)
        #if canImport(Darwin)
            var size = buffer.count
            guard sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else {
                return ""
            }
        #else
            let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return "" }
            defer { close(descriptor) }
            guard pread(descriptor, &buffer, buffer.count, 0) >= 0 else { return "" }
        #endif
        let text = buffer.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Memory

    /// Advises the use of huge pages. A system that ignores it uses ordinary ones.
    package static func adviseHugePages(_ slab: UnsafeMutableRawPointer, _ byteCount: Int) {
        #if os(Linux)
            madvise(slab, byteCount, MADV_HUGEPAGE)
        #endif
    }

    /// Returns free memory to the system that the allocator would keep.
    package static func returnFreeMemory() {
        #if canImport(Glibc)
            _ = trimHeap?(0)
        #endif
    }

    #if canImport(Glibc)
        /// `malloc_trim`, which Swift does not import.
        private static let trimHeap: (@convention(c) (Int) -> Int32)? = {
            guard let address = dlsym(nil, "malloc_trim") else { return nil }
            // The C library declares it as `int malloc_trim(size_t)`.
            return unsafeBitCast(address, to: (@convention(c) (Int) -> Int32).self)
        }()
    #endif

    // MARK: Threads

    /// What the destructor of a thread-specific key gets when a thread ends.
    #if canImport(Darwin)
        package typealias ThreadExitValue = UnsafeMutableRawPointer
    #else
        package typealias ThreadExitValue = UnsafeMutableRawPointer?
    #endif

    /// A number that identifies the calling thread among those that run.
    package static var threadNumber: UInt {
        // A thread is a number or a pointer.
        #if canImport(Glibc)
            pthread_self()
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }

    /// Runs `body` on a new thread; returns an error number or 0.
    package static func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
        let start = Unmanaged.passRetained(ThreadStart(body))
        #if canImport(Darwin) || canImport(Musl)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, { ThreadStart.run($0) }, start.toOpaque())
        if code == 0 {
            detach(thread)
        } else {
            start.release()
        }
        return code
    }

    private static func detach(_ thread: pthread_t?) {
        if let thread { pthread_detach(thread) }
    }

    /// Carries a closure to the new thread.
    private final class ThreadStart: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        /// Returns something, because some headers forbid NULL; nothing reads it.
        static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
            guard let context else { preconditionFailure("A thread has started without its body.") }
            Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().body()
            return context
        }
    }

    /// Makes deadlines of condition variables those of the monotonic clock, where the system can.
    package static func useMonotonicClock(_ attributes: inout pthread_condattr_t) {
        #if !canImport(Darwin)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
    }

    /// Waits until a condition variable is signalled, or until a time of the monotonic clock;
    /// returns false in the second case.
    package static func wait(
        for condition: UnsafeMutablePointer<pthread_cond_t>,
        releasing mutex: UnsafeMutablePointer<pthread_mutex_t>, until deadline: timespec
    ) -> Bool {
        var time = deadline
        #if canImport(Darwin)
            // Deadlines of this system are of the wall clock; durations are monotonic.
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            time.tv_sec -= now.tv_sec
            time.tv_nsec -= now.tv_nsec
            if time.tv_nsec < 0 {
                time.tv_sec -= 1
                time.tv_nsec += 1_000_000_000
            }
            guard time.tv_sec >= 0 else { return false }
            return pthread_cond_timedwait_relative_np(condition, mutex, &time) == 0
        #else
            return pthread_cond_timedwait(condition, mutex, &time) == 0
        #endif
    }
}

extension sigaction {
    /// The function that is called at the signal, `SIG_IGN`, or nil for the default action.
    package var handler: (@convention(c) (Int32) -> Void)? {
        get {
            #if canImport(Darwin)
                __sigaction_u.__sa_handler
            #elseif canImport(Musl)
                __sa_handler.sa_handler
            #elseif canImport(Android)
                sa_handler
            #else
                __sigaction_handler.sa_handler
            #endif
        }
        set {
            #if canImport(Darwin)
                __sigaction_u.__sa_handler = newValue
            #elseif canImport(Musl)
                __sa_handler.sa_handler = newValue
            #elseif canImport(Android)
                sa_handler = newValue
            #else
                __sigaction_handler.sa_handler = newValue
            #endif
        }
    }
}
