import Foundation
import SkyrosDisk
import SkyrosTesting
import Testing

/// A way to get an empty disk.
struct DiskChoice: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let make: @Sendable () throws -> (any Disk, ScratchFolder?)

    static let all = [
        DiskChoice(testDescription: "of the system") {
            let folder = try ScratchFolder()
            return (try PosixDisk(path: folder.path, creating: true), folder)
        },
        DiskChoice(testDescription: "in memory") { (MemoryDisk(), nil) },
        DiskChoice(testDescription: "simulated") { (SimulatedDisk(), nil) },
    ]
}

/// Whatever stands behind the door behaves the same.
@Suite struct `Every disk` {
    private let file = DiskPath(.events, "a")

    private func withDisk(_ choice: DiskChoice, _ body: (any Disk) throws -> Void) throws {
        let (disk, folder) = try choice.make()
        try disk.makeFolder(.events)
        try body(disk)
        withExtendedLifetime(folder) {}
    }

    private func make(_ path: DiskPath, _ text: String, on disk: any Disk) throws {
        let file = try disk.open(path, .create)
        try file.write(text, at: 0)
        try file.close()
    }

    @Test(arguments: DiskChoice.all)
    func `gives back what was written, and zeros between`(choice: DiskChoice) throws {
        try withDisk(choice) { disk in
            let file = try disk.open(file, .create)
            try file.write("hello", at: 0)
            try file.write("world", at: 8)
            try file.write("J", at: 0)
            #expect(try file.text(at: 0, count: 100) == "Jello\0\0\0world")
            #expect(try file.text(at: 8, count: 3) == "wor")
            #expect(try file.text(at: 13, count: 3) == "")
            #expect(try file.text(at: 99, count: 3) == "")
            #expect(try file.status().sizeBytes == 13)
            try file.sync()
            try file.close()
            let again = try disk.open(self.file, .read)
            #expect(try again.text(at: 0, count: 5) == "Jello")
        }
    }

    @Test(arguments: DiskChoice.all)
    func `cuts and extends`(choice: DiskChoice) throws {
        try withDisk(choice) { disk in
            let file = try disk.open(file, .create)
            try file.write("abcdef", at: 0)
            try file.truncate(to: 3)
            #expect(try file.text(at: 0, count: 9) == "abc")
            try file.truncate(to: 5)
            #expect(try file.text(at: 0, count: 9) == "abc\0\0")
            try file.preallocate(to: 4_096)
            #expect(try file.text(at: 0, count: 5) == "abc\0\0")
            try file.preallocate(to: 2)
            #expect(try file.status().sizeBytes >= 5)
        }
    }

    @Test(arguments: DiskChoice.all)
    func `lists, renames over what is there, and removes`(choice: DiskChoice) throws {
        try withDisk(choice) { disk in
            #expect(try disk.list(.events).isEmpty)
            #expect(try disk.list(.quarantine).isEmpty)
            let other = DiskPath(.events, "b")
            try make(other, "old", on: disk)
            try make(file, "new", on: disk)
            #expect(try disk.list(.events) == ["a", "b"])
            let identity = try #require(try disk.status(of: file)?.identity)
            #expect(try disk.status(of: other)?.identity != identity)
            try disk.rename(file, to: other)
            try disk.syncFolder(.events)
            #expect(try disk.list(.events) == ["b"])
            #expect(try disk.status(of: other)?.identity == identity)
            #expect(try disk.open(other, .read).text(at: 0, count: 9) == "new")
            try disk.remove(other)
            try disk.remove(other)
            #expect(try disk.list(.events).isEmpty)
            #expect(try disk.status(of: other) == nil)
        }
    }

    @Test(arguments: DiskChoice.all)
    func `says what is not there`(choice: DiskChoice) throws {
        try withDisk(choice) { disk in
            for mode in [OpenMode.read, .readWrite] {
                #expect { try disk.open(file, mode) } throws: {
                    ($0 as? DiskError)?.isNotFound == true
                }
            }
            #expect {
                try disk.rename(file, to: DiskPath(.events, "b"))
            } throws: {
                ($0 as? DiskError)?.isNotFound == true
            }
        }
    }

    @Test(arguments: DiskChoice.all)
    func `keeps a file readable whose name is gone`(choice: DiskChoice) throws {
        try withDisk(choice) { disk in
            try make(file, "still here", on: disk)
            let open = try disk.open(file, .read)
            try disk.remove(file)
            #expect(try open.text(at: 0, count: 99) == "still here")
        }
    }

    @Test(arguments: DiskChoice.all)
    func `replaces a file by a new one of its name`(choice: DiskChoice) throws {
        try withDisk(choice) { disk in
            try make(file, "a long content", on: disk)
            try make(file, "short", on: disk)
            #expect(try disk.open(file, .read).text(at: 0, count: 99) == "short")
        }
    }

    @Test(arguments: DiskChoice.all.filter { $0.testDescription != "in memory" })
    func `gives its lock to one at a time`(choice: DiskChoice) throws {
        try withDisk(choice) { disk in
            let lock = try disk.lock()
            #expect {
                try disk.lock()
            } throws: { error in
                if case .locked = (error as? DiskError)?.reason { return true }
                return false
            }
            lock.release()
            try disk.lock().release()
        }
    }
}

extension DiskFile {
    fileprivate func write(_ text: String, at position: Int) throws {
        let bytes = [UInt8](text.utf8)
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(DiskError) in try write(buffer, at: position) }
        }
        try result.get()
    }

    fileprivate func text(at position: Int, count: Int) throws -> String {
        var bytes = [UInt8](repeating: 0xFF, count: count)
        let filled = try bytes.withUnsafeMutableBytes { buffer in
            try read(into: buffer, at: position)
        }
        return String(decoding: bytes.prefix(filled), as: UTF8.self)
    }
}
