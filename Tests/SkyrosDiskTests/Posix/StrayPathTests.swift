import Foundation
import SkyrosDisk
import TestSupport
import Testing

/// What an attacker may put where a store expects one of its files.
enum Trap: CaseIterable {
    case link, linkToNothing, linkToDirectory, hardLink, pipe, directory

    /// Puts the trap at `path`; `victim` is a file outside of the store.
    func set(at path: String, for victim: String) throws {
        let code =
            switch self {
            case .link: symlink(victim, path)
            case .linkToNothing: symlink("\(victim)-missing", path)
            case .linkToDirectory: symlink((victim as NSString).deletingLastPathComponent, path)
            case .hardLink: Foundation.link(victim, path)
            case .pipe: mkfifo(path, 0o600)
            case .directory: mkdir(path, 0o700)
            }
        try #require(code == 0)
    }
}

@Suite struct `An unsafe path` {
    private let directory: TemporaryDirectory
    private let disk: PosixDisk

    init() throws {
        directory = try TemporaryDirectory()
        disk = try PosixDisk(path: directory.path("Test.skyros"), creating: true)
        try disk.makeDirectory(.events)
        try directory.write([1, 2, 3], to: "victim")
    }

    @Test(arguments: Trap.allCases)
    func `is refused, and no other file changes (F38)`(at trap: Trap) throws {
        try trap.set(at: directory.path("Test.skyros/events/1"), for: directory.path("victim"))
        let path = DiskPath(.events, "1")
        #expect(failure { _ = try disk.open(path, .read) }?.isInsecure == true)
        #expect(failure { _ = try disk.status(of: path) }?.isInsecure == true)
        #expect(failure { _ = try disk.open(path, .create) }?.isInsecure == true)
        // A directory cannot be opened for writing at all.
        let writing = failure { _ = try disk.open(path, .readWrite) }
        #expect(trap == .directory ? writing != nil : writing?.isInsecure == true)
        #expect(try directory.bytes(of: "victim") == [1, 2, 3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    }

    /// Another thread keeps swapping a file of the store with a symbolic link. Hard links are left
    /// out: no system call opens a file and checks its links atomically.
    @Test func `is not followed in a race with an opening (F38)`() throws {
        let path = DiskPath(.events, "1")
        let (place, next) = (directory.path("Test.skyros/events/1"), directory.path("next"))
        let victim = directory.path("victim")
        let isRunning = Monitor(true)
        let stranger = SerialQueue()
        stranger.run {
            var number = 0
            while isRunning.withLock({ $0 }) {
                number += 1
                switch number % 3 {
                case 0: symlink(victim, next)
                case 1: mkfifo(next, 0o600)
                default: close(open(next, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600))
                }
                rename(next, place)
            }
        }
        var (opened, refused) = (0, 0)
        // On a busy machine one thread may not run during all of the rounds.
        while opened + refused < 10_000 || opened == 0 || refused == 0 {
            do {
                try disk.open(path, .readWrite).write([9])
                opened += 1
            } catch {
                refused += 1
            }
        }
        isRunning.change { $0 = false }
        stranger.stop()
        #expect(try directory.bytes(of: "victim") == [1, 2, 3])
        #expect(opened > 0)
        #expect(refused > 0)
    }

    @Test(arguments: Trap.allCases)
    func `is refused as the lock (F38)`(at trap: Trap) throws {
        try trap.set(at: directory.path("Test.skyros/lock"), for: directory.path("victim"))
        let error = failure { _ = try disk.lock() }
        #expect(trap == .directory ? error != nil : error?.isInsecure == true)
        #expect(try directory.bytes(of: "victim") == [1, 2, 3])
        try disk.rename(DiskPath(.root, "lock"), to: DiskPath(.root, "trap"))
        try disk.lock().release()
    }

    @Test(arguments: [
        "", ".", "..", "../victim", "a/b", "a/\u{301}b", "a\0b", "\0",
        String(repeating: "x", count: 256), String(repeating: "é", count: 128),
    ])
    func `is refused as a name (F38)`(_ name: String) throws {
        try checkIsRefused(name)
    }

    /// The path is in the test's directory: without the check, the rename would happen.
    @Test func `is refused as a name if it is absolute`() throws {
        try checkIsRefused(directory.path("victim"))
    }

    private func checkIsRefused(_ name: String) throws {
        let path = DiskPath(.events, name)
        let whole = DiskPath(.events, "a")
        try disk.make(whole, [7])
        let calls: [() throws -> Void] = [
            { _ = try disk.open(path, .read) }, { _ = try disk.open(path, .readWrite) },
            { _ = try disk.open(path, .create) }, { _ = try disk.status(of: path) },
            { try disk.remove(path) }, { try disk.rename(path, to: DiskPath(.events, "b")) },
            { try disk.rename(whole, to: path) },
        ]
        for call in calls { #expect(failure(call)?.isInsecure == true) }
        #expect(try disk.list(.events) == ["a"])
        #expect(try disk.bytes(of: whole) == [7])
        #expect(try directory.bytes(of: "victim") == [1, 2, 3])
    }

    @Test func `does not include a name of 255 bytes`() throws {
        let path = DiskPath(.events, String(repeating: "x", count: 255))
        try disk.make(path, [1])
        #expect(try disk.bytes(of: path) == [1])
    }

    @Test func `is refused as a directory of the store (F38)`() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("elsewhere"), withIntermediateDirectories: false)
        try directory.write([1], to: "elsewhere/1")
        try #require(
            symlink(directory.path("elsewhere"), directory.path("Test.skyros/quarantine")) == 0)
        let path = DiskPath(.quarantine, "1")
        #expect(failure { _ = try disk.list(.quarantine) }?.isInsecure == true)
        #expect(failure { _ = try disk.open(path, .read) }?.isInsecure == true)
        #expect(failure { _ = try disk.status(of: path) }?.isInsecure == true)
        #expect(failure { try disk.remove(path) }?.isInsecure == true)
        #expect(failure { try disk.syncDirectory(.quarantine) }?.isInsecure == true)
        #expect(try directory.bytes(of: "elsewhere/1") == [1])
    }
}

@Suite struct `The directory of a disk` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: ["", "/", "//"], [false, true])
    func `may not be a symbolic link (F38)`(with ending: String, creating: Bool) throws {
        _ = try PosixDisk(path: directory.path("real"), creating: true)
        try #require(symlink(directory.path("real"), directory.path("link")) == 0)
        let path = directory.path("link") + ending
        #expect(failure { _ = try PosixDisk(path: path, creating: creating) }?.isInsecure == true)
    }

    @Test func `may be reached through one (F43)`() throws {
        let real = try PosixDisk(path: directory.path("real/Test.skyros"), creating: true)
        try real.make(DiskPath(.root, "a"), [1])
        try #require(symlink(directory.path("real"), directory.path("link")) == 0)
        let linked = try PosixDisk(path: directory.path("link/Test.skyros"), creating: false)
        #expect(try linked.bytes(of: DiskPath(.root, "a")) == [1])
        #expect(linked.systemPath == real.systemPath)
    }

    @Test func `is created with its parents`() throws {
        let disk = try PosixDisk(path: directory.path("a/b/c/"), creating: true)
        try disk.make(DiskPath(.root, "x"), [1])
        #expect(try directory.bytes(of: "a/b/c/x") == [1])
        #expect(disk.systemPath == directory.path("a/b/c"))
        #expect(try directory.mode(of: "a") == 0o700)
    }

    @Test func `is not created unless requested`() throws {
        let path = directory.path("missing")
        #expect(failure { _ = try PosixDisk(path: path, creating: false) }?.isNotFound == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test func `is refused if it is a file, or its name contains NUL`() throws {
        try directory.write([1], to: "file")
        for creating in [false, true] {
            #expect(
                failure { _ = try PosixDisk(path: directory.path("file"), creating: creating) }
                    != nil)
            let path = directory.path("good\0bad/worse")
            #expect(
                failure { _ = try PosixDisk(path: path, creating: creating) }?.isInsecure == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }
}
