import TestSupport

#if os(Linux)
    import Foundation
    import Testing

    /// An ext4 file system of a real kernel for one test. It is mounted on a loop device whose
    /// image is a sparse file on a tmpfs. A test can cut its power, or let the tmpfs run full.
    ///
    /// Every path lies in the test's temporary directory.
    final class LoopDevice {
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        static let requirements: Comment =
            "needs root, loop devices, mount and mkfs.ext4, and \(MountNamespace.requirement)"

        /// Whether this machine can mount one; prints the reason if not.
        static let isPossible: Bool = {
            do {
                guard MountNamespace.mayMount else {
                    throw Failure(description: "needs \(MountNamespace.requirement)")
                }
                let device = try LoopDevice(in: TemporaryDirectory(), bytes: 32 << 20)
                try device.cutPower()
                try device.unmount()
                return true
            } catch {
                print("no file system for power cuts: \(error)")
                return false
            }
        }()

        /// How often `unmount` runs `umount` on a busy file system before it gives up.
        private static let triesMax = 100

        private let directory: TemporaryDirectory
        /// The mount point of the tmpfs that holds the image.
        private var medium: String { directory.url.appending(path: "medium").path }
        private var image: String { "\(medium)/image" }
        /// The mount point of the ext4 file system.
        var root: String { directory.url.appending(path: "mounted").path }
        private var isMediumMounted = false
        private var isMounted = false

        /// Creates the file system and mounts it.
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
            // Lazily unmount what is still mounted after an error.
            if isMounted { try? run("/usr/bin/umount", "-l", root) }
            if isMediumMounted { try? run("/usr/bin/umount", "-l", medium) }
        }

        /// Replaces /etc/mke2fs.conf, so that every machine creates the same file system.
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
                    // Between fork and exec, a child started by another test holds copies of all
                    // descriptors of this process.
                    tries += 1
                    if tries == Self.triesMax { throw failure }
                }
            }
        }

        /// Cuts the power: what is not on the device yet is lost, and no later write reaches it.
        /// `unmount` and `mount` restore the power.
        func cutPower() throws {
            // EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: the journal is not flushed.
            let shutdown: UInt = 0x8004_587D
            var flags: UInt32 = 2
            try requireOwn(root)
            let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(descriptor) }
            guard isMounted, ioctl(descriptor, shutdown, &flags) == 0 else {
                throw Failure(description: "the power cannot be cut: \(errno)")
            }
        }

        /// Allocates all blocks of the ext4 journal by committing until the journal wraps around.
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
            // A commit takes at least three of the journal's 1,024 blocks.
            let size = try commit(count: 500)
            guard try commit(count: 500) == size else {
                throw Failure(description: "the journal still grows after 500 commits")
            }
            unlink("\(root)/here")
        }

        private func usedByteCount() throws -> Int {
            var status = stat()
            guard stat(image, &status) == 0 else { throw Failure(description: "no image") }
            return Int(status.st_blocks) * 512
        }

        /// Limits the tmpfs to `bytes` more than it uses now.
        func limit(toFurtherBytes bytes: Int) throws {
            let size = try usedByteCount() + 16 << 10 + bytes
            try run("/usr/bin/mount", "-o", "remount,size=\(size)", medium)
        }

        /// Whether the kernel accepts writes. It stops when the ext4 journal has failed.
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

        /// Runs a tool whose last argument is a path in the test's directory.
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
