import Foundation

/// The least that keeps bytes: `pwrite` to a preallocated file, and a sync that waiting threads
/// share.
///
/// Unchecked because the compiler cannot see that the variables are guarded by `state`.
final class FileFloor: @unchecked Sendable {
    private let descriptor: Int32
    private let state = NSCondition()
    private var written = 0
    private var reserved = 0
    private var durable = 0
    private var isSyncing = false

    private static let reservation = 16 << 20

    init(at file: URL) throws {
        descriptor = Foundation.open(
            file.path(percentEncoded: false), O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("cannot open \(file.path): \(errno)") }
    }

    /// Writes bytes behind those that are there, and gives the new end.
    func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        state.lock()
        defer { state.unlock() }
        if written + bytes.count > reserved {
            reserved += max(Self.reservation, bytes.count)
            reserve()
        }
        guard pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(written)) == bytes.count
        else { throw BenchmarkError("cannot write: \(errno)") }
        written += bytes.count
        return written
    }

    /// Waits until the bytes before `end` are on the disk.
    func sync(through end: Int) throws {
        state.lock()
        defer { state.unlock() }
        while durable < end {
            if isSyncing {
                state.wait()
                continue
            }
            isSyncing = true
            let goal = written
            state.unlock()
            let code = syncData()
            state.lock()
            isSyncing = false
            guard code == 0 else { throw BenchmarkError("cannot sync: \(errno)") }
            durable = goal
            state.broadcast()
        }
    }

    func close() {
        _ = Foundation.close(descriptor)
    }

    private func reserve() {
        #if os(Linux)
            posix_fallocate(descriptor, 0, off_t(reserved))
        #else
            ftruncate(descriptor, off_t(reserved))
        #endif
    }

    private func syncData() -> Int32 {
        #if os(Linux)
            fdatasync(descriptor)
        #else
            fcntl(descriptor, F_FULLFSYNC)
        #endif
    }
}
