#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A file system of a real kernel that is full but for so many blocks, for each number of them:
    /// the writer finds it full at another moment each time.
    @Suite(.long, .enabled(if: LoopMedium.isPossible, LoopMedium.needs))
    struct `A store on a full disk` {
        private struct Loss: Error {
            let description: String
        }

        private static let blockBytes = 4_096
        /// So many blocks hold all that the writer has to write.
        private static let blockCountMax = 150

        @Test func `says so, loses nothing, and goes on once there is room (F16, F17)`() throws {
            reportSweep("full disks", try Self.sweep())
        }

        private static func sweep() throws -> String {
            let directory = try TemporaryDirectory()
            let medium = try LoopMedium(in: directory, bytes: 8 << 20)
            let interval = Extent.pick(brief: 37, quick: 11, deep: 1)
            var (fullCount, count) = (0, 0)
            for blocks in stride(from: 0, through: blockCountMax, by: interval) {
                let level = ["durable", "buffered", "deferred"][count % 3]
                if try isFull(medium, directory, blocks, level) { fullCount += 1 }
                count += 1
            }
            try medium.unmount()
            guard fullCount > 0, fullCount < count else {
                throw Loss(description: "\(fullCount) of \(count) disks were full")
            }
            return "\(count) numbers of free blocks, \(fullCount) too few"
        }

        /// Writes to a store with so many blocks left, then with more.
        ///
        /// - Returns: whether it was told that the disk is full.
        private static func isFull(
            _ medium: LoopMedium, _ directory: TemporaryDirectory, _ blocks: Int, _ level: String
        ) throws -> Bool {
            let writer = try Program("CrashWriter")
            let store = "\(medium.root)/Test.skyros"
            let acknowledgements = directory.url.appending(path: "acknowledged")
            try? FileManager.default.removeItem(at: acknowledgements)
            defer { try? FileManager.default.removeItem(atPath: store) }
            func run(_ role: String, _ options: String...) throws -> Program.Outcome {
                try writer.run([role, store, acknowledgements.path, level] + options)
            }
            let ballast = try fill(medium, leaving: blocks)
            let first = try run("run", "--events", "600")
            let place = "\(blocks) blocks, \(level)"
            // The log may have had the room, and the last checkpoint not.
            let isTold = ["diskFull", "The disk is full"].contains { first.errors.contains($0) }
            guard first.status == 0 || (first.status == 1 && isTold)
            else { throw Loss(description: "\(place): \(first.status), \(first.errors)") }
            // A reader needs no room.
            let reader = try Program("skyros").run("verify", store)
            // There may not have been the room to make a store.
            let said = reader.output + reader.errors
            let isReadable = reader.status == 0 || said.contains("notAStore")
            try FileManager.default.removeItem(atPath: ballast)
            let verified = try run("verify")
            guard isReadable, verified.status == 0 else {
                throw Loss(description: "\(place): \(said) \(verified.errors)")
            }
            let more = try run("run", "--events", "20")
            guard more.status == 0, try run("verify").status == 0 else {
                throw Loss(description: "\(place), with room: \(more.errors)")
            }
            return first.status == 1
        }

        /// Fills the disk but for so many blocks, and returns the path of what fills it.
        private static func fill(_ medium: LoopMedium, leaving blocks: Int) throws -> String {
            let path = "\(medium.root)/ballast"
            let descriptor = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            var status = statvfs()
            guard descriptor >= 0, statvfs(medium.root, &status) == 0 else {
                throw Loss(description: "no ballast")
            }
            // The kernel keeps some of what it calls free for itself.
            var size = off_t(Int(status.f_bfree) * blockBytes)
            while size > 0, posix_fallocate(descriptor, 0, size) != 0 { size -= off_t(blockBytes) }
            ftruncate(descriptor, max(0, size - off_t(blocks * blockBytes)))
            return path
        }
    }
#endif
