#if os(Linux)
    import Foundation
    import SkyrosDisk
    import TestSupport
    import Testing

    @testable import Skyros

    /// A btrfs file system, whose files can share their space, mounted in the test's directory.
    private final class SharingFileSystem {
        private let directory: TemporaryDirectory
        var root: URL { directory.url.appending(path: "mounted") }

        static let isPossible: Bool = {
            guard MountNamespace.mayMount else { return false }
            do {
                _ = try SharingFileSystem()
                return true
            } catch {
                print("no file system that shares space: \(error)")
                return false
            }
        }()

        init() throws {
            directory = try TemporaryDirectory()
            let image = directory.path("image")
            _ = try Shell.run(["truncate", "-s", "160M", image])
            _ = try Shell.run(["mkfs.btrfs", "-q", image])
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
            _ = try Shell.run(["mount", "-o", "loop", image, root.path])
        }

        deinit {
            _ = try? Shell.run(["umount", "-l", root.path])
        }
    }

    @Suite(
        .long,
        .enabled(
            if: SharingFileSystem.isPossible,
            "needs root, loop devices, mkfs.btrfs, and \(MountNamespace.requirement)"))
    struct `A backup on a file system that shares space` {
        @Test func `shares the space of the segments that it copies, and is as good as any`()
            throws
        {
            let files = try SharingFileSystem()
            let (original, copy) = (
                files.root.appending(path: "Original"), files.root.appending(path: "Copy")
            )
            var options = Store.Options()
            options.segmentBytesMax = 16 << 10
            let disk = try PosixDisk(path: original.path, creating: true)
            let store = try Store.simulated([Note.self], options, Environment(disk: disk))
            for id in 0..<300 {
                try store.write { try $0.insert(Note(id: id, text: "note \(id * 7_919)")) }
            }
            for _ in 0..<10 { try store.run(.seal) }
            let report = try store.backup(to: copy)
            #expect(report.copiedFiles > 1 && report.sharedFiles == report.copiedFiles)
            #expect(report.sharedBytes == report.copiedBytes)
            #expect(try Archive(at: copy).verify().ok)
            try store.close()
            try FileManager.default.removeItem(at: original)
            #expect(try Archive(at: copy).verify().sequence == 300)
            // To another file system, the bytes are copied.
            let directory = try TemporaryDirectory()
            let other = try Archive(at: copy).backup(to: directory.store)
            #expect(other.copiedFiles == report.copiedFiles && other.sharedFiles == 0)
        }
    }
#endif
