#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A medium that promised more room than it has: the file system takes a write and cannot
    /// bring it to the medium. Only the sync tells.
    @Suite(.long, .enabled(if: LoopMedium.isPossible, LoopMedium.needs))
    struct `A store on a medium that is thinner than it says` {
        private let directory: TemporaryDirectory
        private let writer: Program

        init() throws {
            directory = try TemporaryDirectory()
            writer = try Program("CrashWriter")
        }

        private func arguments(_ role: String, boot: Int, _ medium: LoopMedium) -> [String] {
            [
                role, "\(medium.root)/Test.skyros",
                directory.url.appending(path: "acknowledged").path,
                "durable", "--threads", "4", "--boot", "boot-\(boot)",
            ]
        }

        private func acknowledgedCount() throws -> Int {
            try String(contentsOf: directory.url.appending(path: "acknowledged"), encoding: .utf8)
                .split(separator: "\n").count
        }

        private func verify(boot: Int, _ medium: LoopMedium) throws {
            let outcome = try writer.run(arguments("verify", boot: boot, medium))
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        /// So many bytes beyond those that are used the medium has.
        private static let sizes = Extent.pick(
            brief: [1 << 20], quick: [256 << 10, 1 << 20, 3 << 20],
            deep: (1...50).map { $0 * 66_000 })

        /// What lacks room is the data; or the kernel's journal, most of the time.
        @Test(arguments: sizes, [false, true])
        func `reports it, acknowledges nothing more, and loses nothing (F13, F14)`(
            bytes: Int, ofJournal: Bool
        ) throws {
            let medium = try LoopMedium(in: directory, bytes: 64 << 20)
            if !ofJournal { try medium.fillJournal() }
            let first = try writer.run(arguments("run", boot: 0, medium) + ["--events", "40"])
            try #require(first.status == 0, "\(first.errors)")
            try medium.limit(toFurtherBytes: bytes)
            let thin = try writer.run(arguments("run", boot: 0, medium) + ["--events", "100000"])
            // The writer itself checks that nothing is written after a sync has failed.
            #expect(thin.status == 1, "\(thin.errors)")
            // A sync fails; or the kernel has noticed between two of them, and the file system is
            // read only when the store makes its next segment.
            let tellings = ["durabilityLost", "Read-only file system"]
            #expect(tellings.contains { thin.errors.contains($0) }, "\(thin.errors)")
            #expect(try acknowledgedCount() < 100_000)
            try medium.limit(toFurtherBytes: 64 << 20)
            if medium.isWritable {
                // The kernel shows what it could not write until the power is cut; the store
                // must not take that for durable when it is opened again.
                try verify(boot: 0, medium)
                try medium.cutPower()
            }
            try medium.unmount()
            try medium.mount()
            try verify(boot: 1, medium)
            let more = try writer.run(arguments("run", boot: 1, medium))
            #expect(more.status == 0, "\(more.errors)")
            try verify(boot: 1, medium)
            try medium.unmount()
        }
    }
#endif
