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

    @Test func `knows the directory under any of its names (F43)`() throws {
        try #require(symlink(directory.path, directory.path("link")) == 0)
        let other = try PosixDisk(path: directory.path("link/Test.skyros"), creating: false)
        let lock = try disk.lock()
        #expect(failure { _ = try other.lock() }?.lockHolder == "this process")
        lock.release()
        try other.lock().release()
    }

    @Test func `does not hold up other stores`() throws {
        let other = try PosixDisk(path: directory.path("Other.skyros"), creating: true)
        let lock = try disk.lock()
        try other.lock().release()
        lock.release()
    }

    @Test func `ends with the value that stands for it`() throws {
        do { _ = try disk.lock() }
        try disk.lock().release()
    }

    @Test func `leaves its file behind, which is the user's alone and names the holder`() throws {
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

    /// A child process has a copy between its fork and the start of its program.
    @Test func `ends when it is released, whoever has a copy of its descriptor`() throws {
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

    @Test func `keeps other processes out (F42)`() throws {
        let lock = try disk.lock()
        let refused = try LockHolder().open(store)
        #expect(refused.status == 1)
        #expect(refused.complaint.contains("process \(getpid())"))
        lock.release()
        let opened = try LockHolder().open(store)
        #expect(opened.status == 0, "\(opened.complaint)")
    }

    @Test func `is held by another process until that is killed (F42)`() throws {
        let writer = try LockHolder().startWriter(
            to: store, acknowledging: directory.path("acknowledged"))
        let refused = failure { _ = try disk.lock() }
        #expect(refused?.lockHolder == "process \(writer.processIdentifier)")
        kill(writer.processIdentifier, SIGKILL)
        writer.waitUntilExit()
        try disk.lock().release()
    }
}
