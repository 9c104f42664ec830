#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Power cuts of a real kernel: what its page cache and its journal leave of a store, against
    /// what the writer had acknowledged.
    @Suite(.long, .enabled(if: LoopMedium.isPossible, LoopMedium.needs))
    struct `A store on a file system whose power is cut` {
        /// How the kernel keeps data and names; each is a different way to lose them.
        private static let modes = [
            "data=ordered", "data=writeback", "data=journal", "data=ordered,commit=1",
        ]
        /// Damage adds up over some lives.
        private static let livesMax = 5

        private struct Loss: Error {
            let description: String
        }

        /// How often it is cut for each level.
        private static let cutCount = Extent.pick(brief: 1, quick: 4, deep: 334)

        @Test(arguments: ["durable", "buffered", "deferred"])
        func `keeps its promises (F4, F11)`(level: String) throws {
            reportSweep("power cuts of a kernel, \(level)", try Self.sweep(level))
        }

        private static func sweep(_ level: String) throws -> String {
            let writer = try Program("CrashWriter")
            var random = RandomSource(seed: 41)
            var life = 0
            var home = try PoweredStore()
            var tally = (acknowledged: 0, kept: 0)
            for cut in 0..<cutCount {
                if life == livesMax {
                    try home.medium.unmount()
                    home = try PoweredStore()
                    life = 0
                }
                life += 1
                // Some are cut off while they are still opening the store.
                let isEarly = cut % 7 == 2
                let plan = PoweredStore.Plan(
                    level: level, threadCount: cut % 2 == 0 ? 1 : 3,
                    target: isEarly ? 0 : Int.random(in: 1...300, using: &random),
                    delay: Int.random(in: 0...(isEarly ? 200_000 : 3_000), using: &random))
                // Some are killed, and the power is cut once the next has opened the store.
                let isOpened = cut % 3 == 1
                var acknowledged = try home.write(writer, plan) {
                    if !isOpened { try home.medium.cutPower() }
                }
                tally.acknowledged += max(0, acknowledged - home.last)
                if isOpened {
                    let (shown, errors) = try home.verify(writer, plan, after: plan.level)
                    guard let shown else { throw Loss(description: "kill \(cut): \(errors)") }
                    tally.kept += max(0, min(shown, acknowledged) - home.last)
                    try home.begin(at: shown)
                    acknowledged = shown
                    try home.medium.cutPower()
                }
                try home.reboot(modes[Int.random(in: 0..<modes.count, using: &random)])
                // Only what was durable had to survive; of the rest any prefix may be there.
                let survivors = level == "durable" ? level : "deferred"
                let (kept, errors) = try home.verify(writer, plan, after: survivors)
                let place = "cut \(cut), \(plan): \(errors)"
                guard let now = kept else { throw Loss(description: place) }
                let written = max(acknowledged, home.last) + plan.threadCount
                guard now >= home.last, now <= written else {
                    let why = "\(home.last) were found before, \(written) written"
                    throw Loss(description: "\(now) are there, \(why): \(place)")
                }
                tally.kept += max(0, min(now, acknowledged) - home.last)
                try home.begin(at: now)
            }
            try home.medium.unmount()
            return "\(cutCount) cuts, \(tally.acknowledged) acknowledged, \(tally.kept) kept"
        }
    }

    /// A store on a medium of its own, with the file of acknowledgements outside of it.
    private final class PoweredStore {
        struct Plan {
            let level: String
            let threadCount: Int
            /// The number of acknowledgements after which the power is cut.
            let target: Int
            /// See `Delay`.
            let delay: Int
        }

        let medium: LoopMedium
        private let directory: TemporaryDirectory
        private var boot = 0
        /// The last event that the store was known to hold.
        private(set) var last = 0
        private var store: String { "\(medium.root)/Test.skyros" }
        private var acknowledgements: URL { directory.url.appending(path: "acknowledged") }

        init() throws {
            directory = try TemporaryDirectory()
            medium = try LoopMedium(in: directory, bytes: 64 << 20)
        }

        private func arguments(_ role: String, _ level: String, _ plan: Plan) -> [String] {
            [
                role, store, acknowledgements.path, level, "--boot", "boot-\(boot)",
                "--threads", "\(plan.threadCount)",
            ]
        }

        /// Writes until `cut` has cut the power, if it does, and then the process is killed.
        ///
        /// - Returns: the last number that was acknowledged, be it while the power was cut.
        func write(_ writer: Program, _ plan: Plan, cut: () throws -> Void) throws -> Int {
            let process = writer.process(arguments("write", plan.level, plan))
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
            var count = 0
            while count < plan.target {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { break }
                count += data.count { $0 == UInt8(ascii: "\n") }
            }
            Delay.spin(callCount: plan.delay)
            try cut()
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            return try acknowledged().max() ?? 0
        }

        private func acknowledged() throws -> [Int] {
            guard FileManager.default.fileExists(atPath: acknowledgements.path) else { return [] }
            return try String(contentsOf: acknowledgements, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .compactMap { Int($0) }
        }

        /// The power comes back, and the kernel replays its journal.
        func reboot(_ mode: String) throws {
            try medium.unmount()
            try medium.mount(mode)
            boot += 1
        }

        /// Opens what is left: the last event, or what the verifier complains of.
        ///
        /// - Parameter level: what of it had to survive.
        func verify(
            _ writer: Program, _ plan: Plan, after level: String
        ) throws -> (last: Int?, errors: String) {
            let several = Plan(level: level, threadCount: 3, target: 0, delay: 0)
            let outcome = try writer.run(arguments("verify", level, several))
            let text = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
            return (outcome.status == 0 ? Int(text) : nil, outcome.errors)
        }

        /// The next life goes on from event `last`, which whoever has opened the store has made
        /// durable: it counts as acknowledged, and nothing behind it does.
        func begin(at last: Int) throws {
            self.last = last
            try Data("\(last)\n".utf8).write(to: acknowledgements)
        }
    }
#endif
