#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// One allocation fails per run: the process traps, as Swift does, or reports an error. Either
    /// way no acknowledged event is lost.
    @Suite(.long, .enabled(if: !Sanitizer.isEnabled, "a sanitizer replaces the allocator"))
    struct `A writer that runs out of memory` {
        private struct Loss: Error {
            let description: String
        }

        /// Every `interval`-th allocation of a run is tried.
        private static let interval = Extent.pick(brief: 997, quick: 97, deep: 7)

        @Test func `loses no acknowledged event (F55)`() throws {
            reportSweep("allocations", try Self.sweep())
        }

        private static func sweep() throws -> String {
            let directory = try TemporaryDirectory()
            let library = directory.url.appending(path: "memory.so")
            try compile(to: library)
            let whole = try run(WriterStore(), library, failing: 0)
            guard
                let line = whole.errors.split(separator: "\n").first(where: {
                    $0.hasPrefix("allocations ")
                }), let count = Int(line.dropFirst("allocations ".count))
            else { throw Loss(description: "no count: \(whole.errors)") }
            var tally = (ended: 0, failed: 0, succeeded: 0)
            for number in stride(from: 1, through: count, by: interval) {
                let home = try WriterStore()
                let outcome = try run(home, library, failing: number)
                switch outcome.status {
                case SIGALRM where outcome.wasSignaled:
                    throw Loss(description: "allocation \(number): the process hangs")
                case _ where outcome.wasSignaled: tally.ended += 1
                case 0: tally.succeeded += 1
                case 1: tally.failed += 1
                default:
                    throw Loss(description: "allocation \(number): \(outcome.errors.suffix(500))")
                }
                let verified = try home.writer.run(
                    home.arguments("verify", "buffered", "--threads", "2"))
                guard verified.status == 0 else {
                    let place = "allocation \(number), \(outcome.status)"
                    throw Loss(description: "\(place): \(verified.errors.suffix(500))")
                }
            }
            return "\(count) in a run, one of \(interval) fails: \(tally.ended) ended, "
                + "\(tally.failed) failed, \(tally.succeeded) succeeded"
        }

        private static func run(
            _ home: WriterStore, _ library: URL, failing number: Int
        ) throws -> Program.Outcome {
            let process = home.writer.process(home.arguments("run", "buffered", "--events", "24"))
            process.environment?["LD_PRELOAD"] = library.path
            process.environment?["SKYROS_FAILING_ALLOCATION"] = "\(number)"
            return try process.outcome()
        }

        private static func compile(to library: URL) throws {
            let source = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../FailingMemory/memory.c").standardized
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "clang", "-O2", "-fPIC", "-shared", source.path, "-o", library.path,
            ]
            let outcome = try process.outcome()
            guard outcome.status == 0 else { throw Loss(description: outcome.errors) }
        }
    }
#endif
