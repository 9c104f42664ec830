import Foundation
import SkyrosDisk
import Testing

@Suite struct `The disk of the system` {
    private let folder: ScratchFolder
    private let disk: PosixDisk
    private let file = DiskPath(.events, "a")

    init() throws {
        folder = try ScratchFolder()
        disk = try PosixDisk(path: folder.path, creating: true)
        try disk.makeFolder(.events)
    }

    private var path: String { "\(folder.path)/events/a" }

    private func makeFile() throws {
        let file = try disk.open(file, .create)
        try file.truncate(to: 3)
        try file.close()
    }

    private func isInsecure(_ error: any Error) -> Bool {
        if case .insecure = (error as? DiskError)?.reason { return true }
        return false
    }

    @Test func `makes files and folders for their user alone`() throws {
        try makeFile()
        try disk.lock().release()
        #expect(try folder.mode() == 0o700)
        #expect(try folder.mode("events") == 0o700)
        #expect(try folder.mode("events/a") == 0o600)
        for name in try disk.list(.root) where name != "events" {
            #expect(try folder.mode(name) == 0o600)
        }
    }

    @Test func `follows no symbolic link`() throws {
        try makeFile()
        let files = FileManager.default
        try files.moveItem(atPath: path, toPath: "\(folder.path)/elsewhere")
        try files.createSymbolicLink(
            atPath: path, withDestinationPath: "\(folder.path)/elsewhere")
        for mode in [OpenMode.read, .readWrite, .create] {
            #expect(throws: DiskError.self) { try disk.open(file, mode) }
        }
        // A new file takes the place of a link and leaves alone what it led to, or is refused.
        let attributes = try FileManager.default.attributesOfItem(
            atPath: "\(folder.path)/elsewhere")
        #expect(attributes[.size] as? Int == 3)
    }

    @Test func `opens no pipe, and does not wait for its other end`() throws {
        let tool = try Process.run(URL(filePath: "/usr/bin/env"), arguments: ["mkfifo", path])
        tool.waitUntilExit()
        #expect { try disk.open(file, .read) } throws: { isInsecure($0) }
    }

    @Test func `opens no file with a second name`() throws {
        try makeFile()
        try FileManager.default.linkItem(atPath: path, toPath: "\(folder.path)/second")
        #expect { try disk.open(file, .readWrite) } throws: { isInsecure($0) }
    }

    @Test func `opens no folder as a file`() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        #expect { try disk.open(file, .read) } throws: { isInsecure($0) }
    }

    @Test(arguments: ["..", ".", "", "a/b", "../a", "a\0b"])
    func `takes plain names alone`(name: String) {
        #expect(throws: DiskError.self) { try disk.open(DiskPath(.events, name), .create) }
    }

    @Test func `reports a name that is too long`() {
        let name = String(repeating: "n", count: 300)
        #expect {
            try disk.open(DiskPath(.events, name), .create)
        } throws: { error in
            if case .system = (error as? DiskError)?.reason { return true }
            return false
        }
    }

    @Test func `makes the folders that lead to it, and wants an existing one otherwise`() throws {
        let deep = "\(folder.path)/x/y/z"
        #expect { try PosixDisk(path: deep, creating: false) } throws: { error in
            (error as? DiskError)?.isNotFound == true
        }
        #expect(try PosixDisk(path: deep, creating: true).systemPath == deep)
    }
}
