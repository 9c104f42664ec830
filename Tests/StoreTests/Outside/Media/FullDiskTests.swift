#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A file system of a real kernel with n free blocks, for each n: the disk is full at a
    /// different write each time.
    @Suite(.long, .enabled(if: LoopDevice.isPossible, LoopDevice.requirements))
    struct `A store on a full disk` {
        private struct Loss: Error {
            let description: String
        }

        private static let blockBytes = 4_096
        /// Enough blocks for everything that the writer writes.
        private static let blockCountMax = 150

        @Test func `reports it, loses nothing, and works again after space is freed (F16, F17)`()
            throws
        {
            reportSweep("full disks", try Self.sweep())
        }

        private static func sweep() throws -> String {
            let directory = try TemporaryDirectory()
            let device = try LoopDevice(in: directory, bytes: 8 << 20)
            let interval = Extent.pick(brief: 37, quick: 11, deep: 1)
            var (fullCount, count) = (0, 0)
            for blocks in stride(from: 0, through: blockCountMax, by: interval) {
                let level = ["durable", "buffered", "deferred"][count % 3]
                if try isFull(device, directory, blocks, level) { fullCount += 1 }
                count += 1
            }
            try device.unmount()
            guard fullCount > 0, fullCount < count else {
                throw Loss(description: "\(fullCount) of \(count) disks were full")
            }
            return "\(count) numbers of free blocks, \(fullCount) too few"
        }

        /// Writes to a store with `blocks` free blocks, then with free space.
        ///
        /// - Returns: whether the writer reported a full disk.
        private static func isFull(
            _ device: LoopDevice, _ directory: TemporaryDirectory, _ blocks: Int, _ level: String
        ) throws -> Bool {
            let writer = try Program("CrashWriter")
            let store = "\(device.root)/Test.skyros"
            let acknowledgements = directory.url.appending(path: "acknowledged")
            try? FileManager.default.removeItem(at: acknowledgements)
            defer { try? FileManager.default.removeItem(atPath: store) }
            func run(_ role: String, _ options: String...) throws -> Program.Outcome {
                try writer.run([role, store, acknowledgements.path, level] + options)
            }
            let ballast = try fill(device, leaving: blocks)
            let first = try run("run", "--events", "600")
            let place = "\(blocks) blocks, \(level)"
            // The log may have fitted, and the last checkpoint not.
            let isReported = ["diskFull", "The disk is full"].contains { first.errors.contains($0) }
            guard first.status == 0 || (first.status == 1 && isReported)
            else { throw Loss(description: "\(place): \(first.status), \(first.errors)") }
            // Reading needs no free space.
            let reader = try Program("skyros").run("verify", store)
            // The disk may have been too full to create a store.
            let said = reader.output + reader.errors
            let isReadable = reader.status == 0 || said.contains("notAStore")
            try FileManager.default.removeItem(atPath: ballast)
            let verified = try run("verify")
            guard isReadable, verified.status == 0 else {
                throw Loss(description: "\(place): \(said) \(verified.errors)")
            }
            let more = try run("run", "--events", "20")
            guard more.status == 0, try run("verify").status == 0 else {
                throw Loss(description: "\(place), with free space: \(more.errors)")
            }
            return first.status == 1
        }

        /// Fills the disk except for `blocks` blocks, and returns the path of the ballast file.
        private static func fill(_ device: LoopDevice, leaving blocks: Int) throws -> String {
            let path = "\(device.root)/ballast"
            let descriptor = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            var status = statvfs()
            guard descriptor >= 0, statvfs(device.root, &status) == 0 else {
                throw Loss(description: "no ballast")
            }
            // The kernel reserves some of the blocks that it counts as free.
            var size = off_t(Int(status.f_bfree) * blockBytes)
            while size > 0, posix_fallocate(descriptor, 0, size) != 0 { size -= off_t(blockBytes) }
            ftruncate(descriptor, max(0, size - off_t(blocks * blockBytes)))
            return path
        }
    }
#endif
