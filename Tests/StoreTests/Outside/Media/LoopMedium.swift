import TestSupport

#if os(Linux)
    import Foundation
    import Testing

    /// A file system of a real kernel that belongs to one test: ext4 on a loop device, whose image
    /// is a sparse file in memory (a tmpfs). Its power can be cut, and its medium can run out.
    ///
    /// All of it lies in the test's temporary directory; no path outside of that is ever named.
    final class LoopMedium {
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        static let needs: Comment = "needs root, loop devices, mount and mkfs.ext4"

        /// Whether there can be one on this machine; says on the output why not.
        static let isPossible: Bool = {
            do {
                let medium = try LoopMedium(in: TemporaryDirectory(), bytes: 32 << 20)
                try medium.cutPower()
                try medium.unmount()
                return true
            } catch {
                print("no file system for power cuts: \(error)")
                return false
            }
        }()

        /// How often a file system that is busy is asked to go, each time by a process that begins.
        private static let triesMax = 100

        private let directory: TemporaryDirectory
        /// Where the medium's memory is.
        private var medium: String { directory.url.appending(path: "medium").path }
        private var image: String { "\(medium)/image" }
        /// Where the file system is.
        var root: String { directory.url.appending(path: "mounted").path }
        private var isMediumMounted = false
        private var isMounted = false

        /// Makes the file system and mounts it.
        init(in directory: TemporaryDirectory, bytes: Int) throws {
            self.directory = directory
            for path in [medium, root] {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false)
            }
            try run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=\(2 * bytes)", "tmpfs", medium)
            isMediumMounted = true
            guard FileManager.default.createFile(atPath: image, contents: nil),
                truncate(image, bytes) == 0
            else { throw Failure(description: "no image") }
            try Self.configuration.write(
                toFile: "\(medium)/mke2fs.conf", atomically: false, encoding: .utf8)
            try run("/usr/sbin/mkfs.ext4", "-q", "-F", image)
            try mount()
        }

        deinit {
            try? unmount()
            // Whatever happened, no mount is left behind.
            if isMounted { try? run("/usr/bin/umount", "-l", root) }
            if isMediumMounted { try? run("/usr/bin/umount", "-l", medium) }
        }

        /// What mkfs knows from /etc elsewhere, so that every machine makes the same.
        private static let configuration = """
            [defaults]
             base_features = sparse_super,large_file,filetype,resize_inode,dir_index,ext_attr
             blocksize = 4096
             inode_size = 256
            [fs_types]
             ext4 = {
             features = has_journal,extent,huge_file,flex_bg,metadata_csum,64bit
             }
            """

        func mount(_ options: String = "data=ordered") throws {
            try run("/usr/bin/mount", "-t", "ext4", "-o", "loop,\(options)", image, root)
            isMounted = true
        }

        func unmount() throws {
            guard isMounted else { return }
            var tries = 0
            while isMounted {
                do {
                    try run("/usr/bin/umount", root)
                    isMounted = false
                } catch let failure as Failure where failure.description.contains("target is busy")
                {
                    // A child that another test begins at this moment has copies of all of this
                    // process's descriptors until it is another program.
                    tries += 1
                    if tries == Self.triesMax { throw failure }
                }
            }
        }

        /// Cuts the power: what has not reached the medium is gone, and nothing reaches it any
        /// more. `unmount` and `mount` bring the power back.
        func cutPower() throws {
            // EXT4_IOC_SHUTDOWN, and EXT4_GOING_FLAGS_NOLOGFLUSH: not even the journal is written.
            let shutdown: UInt = 0x8004_587D
            var flags: UInt32 = 2
            try requireOwn(root)
            let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(descriptor) }
            guard isMounted, ioctl(descriptor, shutdown, &flags) == 0 else {
                throw Failure(description: "the power cannot be cut: \(errno)")
            }
        }

        /// Gives the kernel's journal all of its room: it is written once around, and more.
        func fillJournal() throws {
            let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(descriptor) }
            func commit(count: Int) throws -> Int {
                let names = ["\(root)/here", "\(root)/there"]
                for index in 0..<count {
                    guard rename(names[index % 2], names[(index + 1) % 2]) == 0,
                        fsync(descriptor) == 0
                    else { throw Failure(description: "no commit: \(errno)") }
                }
                return try usedByteCount()
            }
            guard FileManager.default.createFile(atPath: "\(root)/here", contents: nil) else {
                throw Failure(description: "no file to rename")
            }
            // Each takes three blocks or more of the journal's 1,024.
            let size = try commit(count: 500)
            guard try commit(count: 500) == size else {
                throw Failure(description: "the journal grows on after 500 commits")
            }
            unlink("\(root)/here")
        }

        private func usedByteCount() throws -> Int {
            var status = stat()
            guard stat(image, &status) == 0 else { throw Failure(description: "no image") }
            return Int(status.st_blocks) * 512
        }

        /// Leaves the medium so many bytes, beyond those that it has used already.
        func limit(toFurtherBytes bytes: Int) throws {
            let size = try usedByteCount() + 16 << 10 + bytes
            try run("/usr/bin/mount", "-o", "remount,size=\(size)", medium)
        }

        /// Whether the kernel still takes writes; it stops when its own journal has failed.
        var isWritable: Bool {
            let probe = "\(root)/probe"
            guard FileManager.default.createFile(atPath: probe, contents: Data([1])) else {
                return false
            }
            return unlink(probe) == 0
        }

        // MARK: Tools

        private func requireOwn(_ path: String) throws {
            let start = directory.url.path + "/"
            guard path.hasPrefix(start), start.contains("/skyros-"), !path.contains("..") else {
                throw Failure(description: "\(path) is not below the test's directory")
            }
        }

        /// Runs a tool whose last argument is a path of ours.
        private func run(_ arguments: String...) throws {
            try requireOwn(arguments[arguments.count - 1])
            let process = Process()
            process.executableURL = URL(filePath: arguments[0])
            process.arguments = Array(arguments.dropFirst())
            process.environment = [
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "MKE2FS_CONFIG": "\(medium)/mke2fs.conf",
            ]
            let outcome = try process.outcome()
            guard outcome.status == 0 else {
                throw Failure(description: "\(arguments): \(outcome.errors)")
            }
        }
    }
#endif
