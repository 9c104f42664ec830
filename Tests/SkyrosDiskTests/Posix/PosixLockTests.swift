import Foundation
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `The lock of the system` {
    private let directory: TemporaryDirectory
    private let store: String
    private let disk: PosixDisk

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.path("Test.skyros")
        disk = try PosixDisk(path: store, creating: true)
    }

    @Test func `covers a directory under each of its paths (F43)`() throws {
        try #require(symlink(directory.path, directory.path("link")) == 0)
        let other = try PosixDisk(path: directory.path("link/Test.skyros"), creating: false)
        let lock = try disk.lock()
        #expect(failure { _ = try other.lock() }?.lockHolder == "this process")
        lock.release()
        try other.lock().release()
    }

    @Test func `does not block other stores`() throws {
        let other = try PosixDisk(path: directory.path("Other.skyros"), creating: true)
        let lock = try disk.lock()
        try other.lock().release()
        lock.release()
    }

    @Test func `is released with its last reference`() throws {
        do { _ = try disk.lock() }
        try disk.lock().release()
    }

    @Test func `leaves its file, which only the user may read and which names the holder`() throws {
        try directory.write(Array("process 1 of long ago\n".utf8), to: "Test.skyros/lock")
        try #require(chmod(directory.path("Test.skyros/lock"), 0o666) == 0)
        let before = try #require(try disk.status(of: DiskPath(.root, "lock")))
        try disk.lock().release()
        let after = try #require(try disk.status(of: DiskPath(.root, "lock")))
        #expect(after.identity == before.identity)
        #expect(try directory.mode(of: "Test.skyros/lock") == 0o600)
        let text = String(decoding: try directory.bytes(of: "Test.skyros/lock"), as: UTF8.self)
        #expect(text == "process \(getpid())\n")
    }

    /// A child process shares the descriptor between fork and exec.
    @Test func `is released although a child process shares its descriptor`() throws {
        let lock = try disk.lock()
        var own = stat()
        try #require(stat(directory.path("Test.skyros/lock"), &own) == 0)
        let descriptor = try #require(
            (Int32(0)..<4_096).first { number in
                var status = stat()
                return fstat(number, &status) == 0 && status.st_ino == own.st_ino
                    && status.st_dev == own.st_dev
            })
        let copy = dup(descriptor)
        defer { close(copy) }
        lock.release()
        try disk.lock().release()
    }

    @Test func `excludes other processes (F42)`() throws {
        let lock = try disk.lock()
        let refused = try LockHolder().open(store)
        #expect(refused.status == 1)
        #expect(refused.complaint.contains("process \(getpid())"))
        lock.release()
        let opened = try LockHolder().open(store)
        #expect(opened.status == 0, "\(opened.complaint)")
    }

    @Test func `is held by another process until that process is killed (F42)`() throws {
        let writer = try LockHolder().startWriter(
            to: store, acknowledging: directory.path("acknowledged"))
        let refused = failure { _ = try disk.lock() }
        #expect(refused?.lockHolder == "process \(writer.processIdentifier)")
        kill(writer.processIdentifier, SIGKILL)
        writer.waitUntilExit()
        try disk.lock().release()
    }
}
