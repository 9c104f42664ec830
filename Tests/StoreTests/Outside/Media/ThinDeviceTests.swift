#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A thinly provisioned device: it has less space than it reports. The file system accepts a
    /// write, cannot bring it to the device, and reports that at the next sync.
    @Suite(.long, .enabled(if: LoopDevice.isPossible, LoopDevice.requirements))
    struct `A store on a thinly provisioned device that runs full` {
        private let directory: TemporaryDirectory
        private let writer: Program

        init() throws {
            directory = try TemporaryDirectory()
            writer = try Program("CrashWriter")
        }

        private func arguments(_ role: String, boot: Int, _ device: LoopDevice) -> [String] {
            [
                role, "\(device.root)/Test.skyros",
                directory.url.appending(path: "acknowledged").path,
                "durable", "--threads", "4", "--boot", "boot-\(boot)",
            ]
        }

        private func acknowledgedCount() throws -> Int {
            try String(contentsOf: directory.url.appending(path: "acknowledged"), encoding: .utf8)
                .split(separator: "\n").count
        }

        private func verify(boot: Int, _ device: LoopDevice) throws {
            let outcome = try writer.run(arguments("verify", boot: boot, device))
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        /// The free bytes that the device really has.
        private static let sizes = Extent.pick(
            brief: [1 << 20], quick: [256 << 10, 1 << 20, 3 << 20],
            deep: (1...50).map { $0 * 66_000 })

        /// The device has no space for the data, or (mostly) none for the kernel's journal.
        @Test(arguments: sizes, [false, true])
        func `reports it, acknowledges nothing more, and loses nothing (F13, F14)`(
            bytes: Int, ofJournal: Bool
        ) throws {
            let device = try LoopDevice(in: directory, bytes: 64 << 20)
            if !ofJournal { try device.fillJournal() }
            let first = try writer.run(arguments("run", boot: 0, device) + ["--events", "40"])
            try #require(first.status == 0, "\(first.errors)")
            try device.limit(toFurtherBytes: bytes)
            let thin = try writer.run(arguments("run", boot: 0, device) + ["--events", "100000"])
            // The writer itself checks that no write succeeds after a failed sync.
            #expect(thin.status == 1, "\(thin.errors)")
            // A sync fails; or the kernel notices between two syncs, and the file system is
            // read-only when the store creates its next segment.
            let reports = ["durabilityLost", "Read-only file system"]
            #expect(reports.contains { thin.errors.contains($0) }, "\(thin.errors)")
            #expect(try acknowledgedCount() < 100_000)
            try device.limit(toFurtherBytes: 64 << 20)
            if device.isWritable {
                // Until the power cut, the page cache still shows what could not be written. The
                // store must not take that for durable when it opens again.
                try verify(boot: 0, device)
                try device.cutPower()
            }
            try device.unmount()
            try device.mount()
            try verify(boot: 1, device)
            let more = try writer.run(arguments("run", boot: 1, device))
            #expect(more.status == 0, "\(more.errors)")
            try verify(boot: 1, device)
            try device.unmount()
        }
    }
#endif
