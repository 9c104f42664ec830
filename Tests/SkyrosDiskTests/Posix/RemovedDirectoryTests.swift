import Foundation
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `A directory that is removed` {
    private let directory: TemporaryDirectory
    private let store: String
    private let disk: PosixDisk

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.path("Test.skyros")
        disk = try PosixDisk(path: store, creating: true)
    }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    @Test func `goes with its lock, which goes last`() throws {
        let lock = try disk.lock()
        #expect(try disk.removeRoot() == false)
        try lock.removeFile()
        lock.release()
        #expect(try disk.removeRoot())
        #expect(!exists(store))
    }

    @Test func `stays if it holds anything, such as another's new lock`() throws {
        let lock = try disk.lock()
        try lock.removeFile()
        #expect(!exists(directory.path("Test.skyros/lock")))
        lock.release()
        let other = try PosixDisk(path: store, creating: false)
        let next = try other.lock()
        #expect(try disk.removeRoot() == false)
        #expect(failure { _ = try disk.lock() }?.lockHolder != nil)
        next.release()
    }

    @Test func `stays if it was moved, and another is at its path`() throws {
        try #require(rename(store, directory.path("moved")) == 0)
        try #require(mkdir(store, 0o700) == 0)
        #expect(try disk.removeRoot() == false)
        #expect(exists(store))
        #expect(exists(directory.path("moved")))
    }

    @Test func `is not followed through a link at its path`() throws {
        try #require(rename(store, directory.path("moved")) == 0)
        try #require(symlink(directory.path("moved"), store) == 0)
        #expect(try disk.removeRoot() == false)
        #expect(exists(directory.path("moved")))
    }
}
