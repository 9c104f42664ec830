import Foundation

/// The least work that keeps bytes: `pwrite` into preallocated space, and a sync that waiting
/// threads share.
///
/// Unchecked because the compiler cannot see that the variables are guarded by `state`.
final class FileFloor: @unchecked Sendable {
    private let descriptor: Int32
    private let state = NSCondition()
    private var written = 0
    private var reserved = 0
    private var durable = 0
    private var isSyncing = false

    private static let zeros = [UInt8](repeating: 0, count: 1 << 20)

    init(at file: URL) throws {
        descriptor = Foundation.open(
            file.path(percentEncoded: false), O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("cannot open \(file.path): \(errno)") }
    }

    /// Appends bytes, and returns the new end.
    func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        state.lock()
        defer { state.unlock() }
        try bytes.withMemoryRebound(to: UInt8.self) { try write($0, at: written) }
        written += bytes.count
        if written > reserved {
            try Self.zeros.withUnsafeBufferPointer { try write($0, at: written) }
            reserved = written + Self.zeros.count
        }
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
            if code == 0 { durable = goal }
            state.broadcast()
            guard code == 0 else { throw BenchmarkError("cannot sync: \(errno)") }
        }
    }

    func close() {
        _ = Foundation.close(descriptor)
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) throws {
        guard pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(position)) == bytes.count
        else { throw BenchmarkError("cannot write: \(errno)") }
    }

    private func syncData() -> Int32 {
        #if os(Linux)
            fdatasync(descriptor)
        #else
            fcntl(descriptor, F_FULLFSYNC)
        #endif
    }
}
