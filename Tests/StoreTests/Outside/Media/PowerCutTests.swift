#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Power cuts on a real kernel's file system. Each test compares the store that survives with
    /// the events that the writer acknowledged.
    @Suite(.long, .enabled(if: LoopDevice.isPossible, LoopDevice.requirements))
    struct `A store on a file system whose power is cut` {
        /// ext4 journal modes: each loses different data and names.
        private static let modes = [
            "data=ordered", "data=writeback", "data=journal", "data=ordered,commit=1",
        ]
        /// The number of power cuts on one store: later runs start with what earlier ones left.
        private static let cutsPerStoreMax = 5

        private struct Loss: Error {
            let description: String
        }

        /// The number of power cuts per durability level.
        private static let cutCount = Extent.pick(brief: 1, quick: 4, deep: 334)

        @Test(arguments: ["durable", "buffered", "deferred"])
        func `keeps its promises (F4, F11)`(level: String) throws {
            reportSweep("power cuts on ext4, \(level)", try Self.sweep(level))
        }

        private static func sweep(_ level: String) throws -> String {
            let writer = try Program("CrashWriter")
            var random = RandomSource(seed: 41)
            var cutsOfStore = 0
            var home = try PoweredStore()
            var tally = (acknowledged: 0, kept: 0)
            for cut in 0..<cutCount {
                if cutsOfStore == cutsPerStoreMax {
                    try home.device.unmount()
                    home = try PoweredStore()
                    cutsOfStore = 0
                }
                cutsOfStore += 1
                // Sometimes the power fails while the writer is still opening the store.
                let isEarly = cut % 7 == 2
                let plan = PoweredStore.Plan(
                    level: level, threadCount: cut % 2 == 0 ? 1 : 3,
                    target: isEarly ? 0 : Int.random(in: 1...300, using: &random),
                    delay: Int.random(in: 0...(isEarly ? 200_000 : 3_000), using: &random))
                // Sometimes the writer is killed, another process opens the store, and only then
                // the power fails.
                let isReopened = cut % 3 == 1
                var acknowledged = try home.write(writer, plan) {
                    if !isReopened { try home.device.cutPower() }
                }
                tally.acknowledged += max(0, acknowledged - home.last)
                if isReopened {
                    let (shown, errors) = try home.verify(writer, plan, after: plan.level)
                    guard let shown else { throw Loss(description: "kill \(cut): \(errors)") }
                    tally.kept += max(0, min(shown, acknowledged) - home.last)
                    try home.begin(at: shown)
                    acknowledged = shown
                    try home.device.cutPower()
                }
                try home.reboot(modes[Int.random(in: 0..<modes.count, using: &random)])
                // Only durable events must survive; of the others any prefix may.
                let survivors = level == "durable" ? level : "deferred"
                let (kept, errors) = try home.verify(writer, plan, after: survivors)
                let place = "cut \(cut), \(plan): \(errors)"
                guard let now = kept else { throw Loss(description: place) }
                let written = max(acknowledged, home.last) + plan.threadCount
                guard now >= home.last, now <= written else {
                    let why = "expected \(home.last) to \(written)"
                    throw Loss(description: "the store holds \(now) events; \(why): \(place)")
                }
                tally.kept += max(0, min(now, acknowledged) - home.last)
                try home.begin(at: now)
            }
            try home.device.unmount()
            return "\(cutCount) cuts, \(tally.acknowledged) acknowledged, \(tally.kept) kept"
        }
    }

    /// A store on its own loop device, with the file of acknowledgements outside it.
    private final class PoweredStore {
        struct Plan {
            let level: String
            let threadCount: Int
            /// The number of acknowledgements after which the power is cut.
            let target: Int
            /// See `Delay`.
            let delay: Int
        }

        let device: LoopDevice
        private let directory: TemporaryDirectory
        private var boot = 0
        /// The last event that the previous verification found.
        private(set) var last = 0
        private var store: String { "\(device.root)/Test.skyros" }
        private var acknowledgements: URL { directory.url.appending(path: "acknowledged") }

        init() throws {
            directory = try TemporaryDirectory()
            device = try LoopDevice(in: directory, bytes: 64 << 20)
        }

        private func arguments(_ role: String, _ level: String, _ plan: Plan) -> [String] {
            [
                role, store, acknowledgements.path, level, "--boot", "boot-\(boot)",
                "--threads", "\(plan.threadCount)",
            ]
        }

        /// Starts a writer, calls `cut` after the planned number of acknowledgements, and kills it.
        ///
        /// - Returns: the last event that was acknowledged, also during or after the power cut.
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

        /// Restores the power: the kernel replays its journal.
        func reboot(_ mode: String) throws {
            try device.unmount()
            try device.mount(mode)
            boot += 1
        }

        /// Runs the verifier: the last event that it finds, or its errors.
        ///
        /// - Parameter level: the durability level whose promise it checks.
        func verify(
            _ writer: Program, _ plan: Plan, after level: String
        ) throws -> (last: Int?, errors: String) {
            let several = Plan(level: level, threadCount: 3, target: 0, delay: 0)
            let outcome = try writer.run(arguments("verify", level, several))
            let text = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
            return (outcome.status == 0 ? Int(text) : nil, outcome.errors)
        }

        /// Starts the next run at event `last`, which opening the store made durable: it counts as
        /// acknowledged, later events do not.
        func begin(at last: Int) throws {
            self.last = last
            try Data("\(last)\n".utf8).write(to: acknowledgements)
        }
    }
#endif
