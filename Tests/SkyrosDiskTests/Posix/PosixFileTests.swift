import Foundation
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `A file of the system` {
    private let directory: TemporaryDirectory
    private let disk: PosixDisk
    private let path = DiskPath(.root, "file")

    init() throws {
        directory = try TemporaryDirectory()
        disk = try PosixDisk(path: directory.path("Test.skyros"), creating: true)
    }

    @Test func `belongs to the user only, whatever it replaces (F39)`() throws {
        try disk.make(path, [1])
        #expect(try directory.mode(of: "Test.skyros/file") == 0o600)
        try #require(chmod(directory.path("Test.skyros/file"), 0o666) == 0)
        try disk.open(path, .create).close()
        #expect(try directory.mode(of: "Test.skyros/file") == 0o600)
        try disk.makeDirectory(.events)
        #expect(try directory.mode(of: "Test.skyros/events") == 0o700)
        #expect(try directory.mode(of: "Test.skyros") == 0o700)
        try #require(chmod(directory.path("Test.skyros/events"), 0o750) == 0)
        try disk.makeDirectory(.events)
        #expect(try directory.mode(of: "Test.skyros/events") == 0o750)
    }

    /// Whether it can be cloned depends on the file system.
    @Test func `is cloned with its content, or not created`() throws {
        try disk.make(path, [1, 2, 3])
        let clone = DiskPath(.root, "clone")
        try disk.make(clone, [9])
        let source = try disk.open(path, .read)
        let made = try disk.clone(source, to: clone)
        #expect(try disk.list(.root) == (made == nil ? ["file"] : ["clone", "file"]))
        guard let made else { return }
        try made.sync()
        #expect(try directory.bytes(of: "Test.skyros/clone") == [1, 2, 3])
        #expect(try directory.mode(of: "Test.skyros/clone") == 0o600)
    }

    /// A child process, because the umask is of the whole process.
    @Test(arguments: ["000", "027", "777"])
    func `belongs to the user only under any umask (F39)`(_ mask: String) throws {
        let store = directory.path("Masked.skyros")
        let launcher = ["/bin/sh", "-c", "umask \(mask) && exec \"$@\"", "sh"]
        let outcome = try LockHolder().open(store, through: launcher)
        try #require(outcome.status == 0, "\(outcome.complaint)")
        #expect(try directory.mode(of: "Masked.skyros") == 0o700)
        for name in try FileManager.default.subpathsOfDirectory(atPath: store) {
            let expected = Directory(rawValue: name) == nil ? 0o600 : 0o700
            #expect(try directory.mode(of: "Masked.skyros/\(name)") == expected, "\(name)")
        }
    }

    @Test func `has its current name in errors`() throws {
        let file = try disk.make(path, [1])
        let before = try #require(failure { try file.truncate(to: -1) })
        #expect(before.path.hasSuffix("Test.skyros/file"))
        let other = DiskPath(.root, "other")
        try disk.rename(path, to: other)
        file.wasRenamed(to: other.name)
        let after = try #require(failure { try file.truncate(to: -1) })
        #expect(after.path.hasSuffix("Test.skyros/other"))
    }

    @Test func `reports the failed operation, the path and the reason`() throws {
        try disk.make(path, [1])
        let file = try disk.open(path, .read)
        let error = try #require(failure { try file.write([2]) })
        #expect(error.operation == .write)
        #expect(error.path.hasSuffix("/Test.skyros/file"))
        #expect(error.reason == .system(EBADF))
        #expect(error.description.contains("errno \(EBADF)"))
        #expect(failure { try file.truncate(to: 0) }?.operation == .truncate)
        #expect(failure { try file.preallocate(to: 10) }?.operation == .preallocate)
    }

    @Test func `that is closed does not use its descriptor's number again`() throws {
        try disk.make(path, [1])
        let file = try disk.open(path, .readWrite)
        try file.close()
        let others = try (0..<64).map { try disk.make(DiskPath(.root, "other\($0)"), [7, 7]) }
        #expect(failure { _ = try file.bytes(1) }?.operation == .read)
        #expect(failure { try file.write([2]) }?.operation == .write)
        #expect(failure { try file.truncate(to: 0) }?.operation == .truncate)
        #expect(failure { try file.preallocate(to: 10) }?.operation == .preallocate)
        #expect(failure { try file.sync() }?.isFailedSync == true)
        for other in others { #expect(try other.bytes(2) == [7, 7]) }
    }

    /// As when the process has no descriptor left: names that it was given may be lost.
    @Test func `has no durable name if its directory cannot be opened (F15)`() throws {
        try disk.makeDirectory(.events)
        try disk.make(DiskPath(.events, "1"), [1])
        let events = directory.path("Test.skyros/events")
        try #require(rename(events, directory.path("moved")) == 0)
        try #require(symlink(directory.path("moved"), events) == 0)
        let error = try #require(failure { try disk.syncDirectory(.events) })
        #expect(error.operation == .syncDirectory && error.isFailedSync)
        #expect(error.path.hasSuffix("Test.skyros/events"))
    }

    /// The number of a closed descriptor may belong to another file.
    @Test func `that is refused closes its descriptor once`() throws {
        try directory.write([1], to: "victim")
        try #require(link(directory.path("victim"), directory.path("Test.skyros/file")) == 0)
        let isRunning = Monitor(true)
        let others = SerialQueue()
        let failedCloses = Locked(0)
        others.run {
            while isRunning.withLock({ $0 }) {
                let descriptor = dup(STDERR_FILENO)
                if descriptor >= 0, close(descriptor) != 0 { failedCloses.withLock { $0 += 1 } }
            }
        }
        for _ in 0..<20_000 {
            #expect(failure { _ = try disk.open(path, .read) }?.isInsecure == true)
        }
        isRunning.change { $0 = false }
        others.stop()
        #expect(failedCloses.withLock { $0 } == 0)
    }
}
